// What all pages do in the browser, whichever element was drawn anew: listeners of the document, added once a window.
const PHONE = '(max-width: 48rem)';
const LEADS_ON = '[data-testid=stSidebarNavLink], [data-testid=stSidebar] [data-testid=stButton] button';
const TYPED_INTO = 'input, textarea, select, [contenteditable=true]';

// A select keeps the focus after a choice, and with it every key that a button of the page waits for.
const leaveSelect = () => {
  const at = document.activeElement;
  const select = at?.closest('[data-testid=stSelectbox]');
  if (select && !select.querySelector('[aria-expanded=true]')) at.blur();
};
const leaveSelectSoon = () => [0, 50, 200].forEach((wait) => setTimeout(leaveSelect, wait));

// On a phone the sidebar covers the page: what was chosen there is to be seen.
const closeSidebar = () => {
  if (!matchMedia(PHONE).matches) return;
  document.querySelector('[data-testid=stSidebar] [data-testid=stSidebarCollapseButton] button')?.click();
};

// The key T opens and closes the numbers behind the figures.
const toggleNumbers = () => {
  const all = [...document.querySelectorAll('details.mt-numbers')];
  const isOpen = all.some((one) => one.open);
  for (const one of all) one.open = !isOpen;
};

// The link for readers is the address as it is now, with their name of the experiment.
const writeShared = () => {
  for (const at of document.querySelectorAll('code.mt-share')) {
    const link = new URL(location.href);
    link.searchParams.delete('experiment');
    link.searchParams.set(at.dataset.name, at.dataset.link);
    if (at.textContent !== link.href) at.textContent = link.href;
  }
};

// More words in the address of the same page are no step: Back leads to the page before.
const stepByPage = () => {
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const isSamePage = new URL(url, location.href).pathname === location.pathname;
    (isSamePage ? history.replaceState.bind(history) : push)(state, title, url);
  };
};

const begin = () => {
  stepByPage();
  setInterval(writeShared, 300);
  let isFromSidebar = false;  // the options of a select stand elsewhere in the document
  document.addEventListener('click', (event) => {
    const at = event.target;
    const isOption = at.closest?.('[role=option]');
    if (!isOption) isFromSidebar = Boolean(at.closest?.('[data-testid=stSidebar] [data-testid=stSelectbox]'));
    if (isOption) {
      leaveSelectSoon();
      if (isFromSidebar) closeSidebar();
    } else if (at.closest?.(LEADS_ON)) {
      setTimeout(closeSidebar, 0);
    }
  }, true);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.closest?.('[data-testid=stSelectbox]')) leaveSelectSoon();
    if (event.key.toLowerCase() !== 't' || event.ctrlKey || event.altKey || event.metaKey) return;
    if (!event.composedPath()[0].closest?.(TYPED_INTO)) toggleNumbers();
  });
};

export default function () {
  if (!window.mtevalListens) begin();
  window.mtevalListens = true;
}
