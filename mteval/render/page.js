// Draws the figures that stand as JSON beside their places; text and lines take the colours of the page. On paper all
// that is folded away is open, and figures are as wide as a page of A4 or letter.
"use strict";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const axesOf = (layout) => Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));

function draw(place) {
  const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
  const style = getComputedStyle(document.body);
  figure.layout.font = { ...figure.layout.font, color: style.color, family: style.fontFamily };
  figure.layout.hoverlabel = { ...figure.layout.hoverlabel, bgcolor: style.backgroundColor, font: { color: style.color } };
  for (const name of axesOf(figure.layout)) {
    const axis = figure.layout[name];
    axis.gridcolor = "rgba(138, 147, 155, 0.25)";
    axis.linecolor = "rgba(138, 147, 155, 0.5)";
  }
  Plotly.react(place, figure.data, figure.layout, { displayModeBar: false, responsive: true });
}

const drawAll = () => document.querySelectorAll("[data-figure]").forEach(draw);
drawAll();
dark.addEventListener("change", drawAll);

let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((details) => { details.open = true; });
  document.querySelectorAll("[data-figure]").forEach((place) => Plotly.relayout(place, { width: 690 }));
});
addEventListener("afterprint", () => {
  folded.forEach((details) => { details.open = false; });
  drawAll();
});
