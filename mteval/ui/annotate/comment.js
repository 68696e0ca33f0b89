export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector('.comment');
  const area = box.querySelector('textarea');
  if (box.mtId !== data.id) { box.mtId = data.id; box.mtSent = area.value = data.value; }
  const paint = () => box.classList.toggle('unkept', box.mtTyped);
  const send = () => {
    clearTimeout(box.mtTimer);
    if (area.value !== box.mtSent) { box.mtSent = area.value; setStateValue('words', area.value); }
  };
  if (box.mtTyped === undefined) {
    window.addEventListener('beforeunload', (event) => {
      if (!box.isConnected || !box.mtTyped) return;
      box.mtSend();
      event.preventDefault();
    });
  }
  box.mtTyped = Boolean(box.mtTyped) && area.value !== data.value;  // until it is kept
  box.mtSend = send;
  box.querySelector('.label').textContent = data.label;
  area.setAttribute('aria-label', data.label);
  area.maxLength = data.longest;
  area.disabled = data.disabled;
  area.oninput = () => {
    box.mtTyped = true;
    paint();
    clearTimeout(box.mtTimer);
    box.mtTimer = setTimeout(() => box.mtSend(), data.pause);
  };
  area.onblur = send;
  area.onkeydown = (event) => event.stopPropagation();  // what is written is no key of the page
  paint();
}
