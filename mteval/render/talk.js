// Plays the slides of a talk: one at a time, by keys or buttons. The draws were made beforehand and are shown one by one.
"use strict";
const stage = document.querySelector(".mt-talk");
const slides = [...document.querySelectorAll(".mt-slide")];
const drawings = JSON.parse(document.getElementById("drawings").textContent);
let shown = 0;
let drawn = 0;

function fit() {
  const scale = Math.min(innerWidth / 1280, (innerHeight - 40) / 720);
  stage.style.transform = `translate(-50%, calc(-50% - 20px)) scale(${scale})`;
}

function show(number) {
  shown = Math.max(0, Math.min(slides.length - 1, number));
  slides.forEach((slide, index) => slide.classList.toggle("mt-shown", index === shown));
  document.getElementById("place").textContent = `${shown + 1} / ${slides.length}`;
  const isDrawing = slides[shown].dataset.key === stage.dataset.drawing;
  for (const action of ["draw", "hundred", "again"]) button(action).hidden = !isDrawing;
  for (const action of ["png", "svg"]) button(action).hidden = !figure();
  button("previous").hidden = shown === 0;
  button("next").hidden = shown === slides.length - 1;
  if (figure()) draw(figure());
}

function drawTo(number) {
  if (slides[shown].dataset.key !== stage.dataset.drawing) return;
  drawn = Math.max(0, Math.min(drawings.length - 1, number));
  const [head, beside, data] = drawings[drawn];
  slides[shown].querySelector("header").innerHTML = head;
  slides[shown].querySelector(".mt-slide-beside").innerHTML = beside;
  document.getElementById(figure().dataset.figure).textContent = data;
  draw(figure());
}

const button = (action) => document.querySelector(`[data-does=${action}]`);
const figure = () => slides[shown].querySelector("[data-figure]");

function save(format) {
  if (figure()) Plotly.downloadImage(figure(), { format, filename: slides[shown].dataset.key });
}

function toggleFullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
}

const actions = {
  next: () => show(shown + 1),
  previous: () => show(shown - 1),
  draw: () => drawTo(drawn + 1),
  hundred: () => drawTo(drawings.length - 1),
  again: () => drawTo(0),
  png: () => save("png"),
  svg: () => save("svg"),
  full: toggleFullScreen,
};
const actionOfKey = {
  ArrowRight: "next",
  PageDown: "next",
  " ": "next",
  ArrowLeft: "previous",
  PageUp: "previous",
  d: "draw",
  h: "hundred",
  s: "again",
  p: "png",
  v: "svg",
  f: "full",
};

document.addEventListener("keydown", (event) => {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const action = actionOfKey[key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  actions[action]();
});
document.querySelectorAll("[data-does]").forEach((element) => element.addEventListener("click", () => {
  actions[element.dataset.does]();
  element.blur();
}));
addEventListener("resize", () => { fit(); show(shown); });
fit();
show(0);
