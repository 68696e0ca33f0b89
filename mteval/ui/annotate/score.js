export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector('.score');
  const rail = box.querySelector('.rail');
  if (box.mtId !== data.id) { box.mtId = data.id; box.mtValue = data.value; }
  if (box.mtKept === undefined) {
    window.addEventListener('beforeunload', (event) => {
      if (box.isConnected && box.mtValue !== box.mtKept) event.preventDefault();
    });
  }
  box.mtKept = data.value;
  const paint = () => {
    const value = box.mtValue;
    box.classList.toggle('unset', value === null);
    box.classList.toggle('unkept', value !== box.mtKept);
    box.classList.toggle('off', data.disabled);
    box.querySelector('.question').textContent = data.label;
    box.querySelector('.said').textContent = value === null ? 'no score yet' : String(value);
    box.querySelector('.thumb').style.left = `${value ?? 0}%`;
    rail.setAttribute('aria-label', data.label);
    rail.setAttribute('aria-disabled', String(data.disabled));
    rail.setAttribute('aria-valuetext', value === null ? 'no score yet' : String(value));
    if (value === null) rail.removeAttribute('aria-valuenow');
    else rail.setAttribute('aria-valuenow', String(value));
  };
  const move = (value) => { box.mtValue = Math.max(0, Math.min(100, Math.round(value))); paint(); };
  const send = () => setStateValue('score', box.mtValue);
  const follow = (event) => {
    const { left, width } = rail.getBoundingClientRect();
    move((100 * (event.clientX - left)) / width);
  };
  rail.onpointerdown = (event) => {
    if (data.disabled) return;
    rail.setPointerCapture(event.pointerId);
    box.mtDragging = true;
    follow(event);
  };
  rail.onpointermove = (event) => { if (box.mtDragging) follow(event); };
  rail.onpointerup = () => { if (box.mtDragging) { box.mtDragging = false; send(); } };
  rail.onkeydown = (event) => {
    if (data.disabled || event.ctrlKey || event.altKey || event.metaKey) return;
    const from = box.mtValue ?? 50;
    const steps = { ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1,
      PageUp: from + 10, PageDown: from - 10, Home: 0, End: 100, ' ': from, Enter: from };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    move(steps[event.key]);
    send();
  };
  paint();
}
