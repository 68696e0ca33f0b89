// What all pages do in the browser, whichever element was drawn anew: listeners of the document, once per window.
const PHONE = '(max-width: 48rem)';
const SIDEBAR = '[data-testid=stSidebar]';
const SELECT = '[data-testid=stSelectbox]';
const LEADS_ON = `[data-testid=stSidebarNavLink], ${SIDEBAR} [data-testid=stButton] button`;
const TYPED_INTO = 'input, textarea, select, [contenteditable=true]';
const WAITS = [0, 50, 200];  // milliseconds until Streamlit has given a select its focus back
const SHARED_LINK_PERIOD = 300;  // milliseconds

// A select keeps the focus after a choice, and with it every key that a button of the page waits for.
const leaveSelect = () => {
  const focused = document.activeElement;
  const select = focused?.closest(SELECT);
  if (!select) return;
  const isOpen = select.querySelector('[aria-expanded=true]');
  if (!isOpen) focused.blur();
};

const leaveSelectSoon = () => {
  for (const wait of WAITS) setTimeout(leaveSelect, wait);
};

// On a phone the sidebar covers the page, which should be visible after a choice.
const closeSidebar = () => {
  if (!matchMedia(PHONE).matches) return;
  const button = document.querySelector(`${SIDEBAR} [data-testid=stSidebarCollapseButton] button`);
  button?.click();
};

// The key T opens and closes the numbers behind the figures.
const toggleNumbers = () => {
  const tables = [...document.querySelectorAll('details.mt-numbers')];
  const isAnyOpen = tables.some((table) => table.open);
  for (const table of tables) table.open = !isAnyOpen;
};

// The link for readers is the current address, with their name of the experiment.
const writeShared = () => {
  for (const code of document.querySelectorAll('code.mt-share')) {
    const link = new URL(location.href);
    link.searchParams.delete('experiment');
    link.searchParams.set(code.dataset.name, code.dataset.link);
    if (code.textContent !== link.href) code.textContent = link.href;  // else a selection in it would be lost
  }
};

// A change of parameters in the address is no step of the history: Back leads to the page before.
const stepByPage = () => {
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const isSamePage = new URL(url, location.href).pathname === location.pathname;
    if (isSamePage) history.replaceState(state, title, url);
    else push(state, title, url);
  };
};

// Streamlit draws the options of a select elsewhere in the document; the click before tells whose they are.
const listenToClicks = () => {
  let isSelectOfSidebar = false;
  document.addEventListener('click', (event) => {
    const clicked = event.target;
    if (clicked.closest?.('[role=option]')) {
      leaveSelectSoon();
      if (isSelectOfSidebar) closeSidebar();
      return;
    }
    isSelectOfSidebar = Boolean(clicked.closest?.(`${SIDEBAR} ${SELECT}`));
    if (clicked.closest?.(LEADS_ON)) setTimeout(closeSidebar, 0);
  }, true);
};

const listenToKeys = () => {
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.closest?.(SELECT)) leaveSelectSoon();
    if (event.key.toLowerCase() !== 't' || event.ctrlKey || event.altKey || event.metaKey) return;
    const isTyping = event.composedPath()[0].closest?.(TYPED_INTO);
    if (!isTyping) toggleNumbers();
  });
};

// The server puts the style into the page (mteval/ui/server/layers.py). A page of an earlier version lacks it.
const dress = (address) => {
  if (!address || document.querySelector(`link[href$="${address}"]`)) return;
  const script = document.querySelector('script[src*="/static/js/"]');
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = new URL(`../mteval/${address}`, script.src).href;
  document.body.append(link);
};

export default function ({ data }) {
  dress(data?.style);
  if (window.mtevalListens) return;
  stepByPage();
  setInterval(writeShared, SHARED_LINK_PERIOD);
  listenToClicks();
  listenToKeys();
  window.mtevalListens = true;
}
