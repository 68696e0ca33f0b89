// Material puts wide tables into boxes that scroll; the keyboard reaches them too.
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    box.tabIndex = 0;
    box.role = "region";
    box.ariaLabel = "Table";
  }
}).observe(document, { childList: true, subtree: true });
