export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector('.words');
  const state = (box.mtState ??= { at: 0, from: null, to: null, dragging: false, count: data.used });
  if (data.used >= state.count) state.from = state.to = null;  // what was marked is no longer selected
  box.setAttribute('aria-label', data.label);
  let words = [];
  const low = () => Math.min(state.from, state.to);
  const high = () => Math.max(state.from, state.to);
  const paint = () => {
    for (const node of box.children) {
      const index = Number(node.dataset.word);
      const on = state.from !== null && index >= low() && index <= (node.dataset.gap ? high() - 1 : high());
      node.classList.toggle('on', on);
      if (!node.dataset.gap) {
        node.classList.toggle('at', index === state.at);
        node.setAttribute('aria-selected', String(on));
        if (index === state.at) box.setAttribute('aria-activedescendant', node.id);
      }
    }
  };
  const send = () => {
    state.count += 1;
    setStateValue('span', state.from === null ? null : [low(), high(), state.count]);
  };
  const clear = () => { state.from = state.to = null; paint(); send(); };
  box.replaceChildren();
  for (const piece of data.pieces) {
    const node = document.createElement('span');
    node.textContent = piece.text;
    if (piece.kind) node.classList.add(...piece.kind.split(' '));
    if (piece.marks) node.title = piece.marks;
    node.dataset.word = String(piece.word);
    if (piece.gap) {
      node.dataset.gap = '1';
    } else {
      node.setAttribute('role', 'option');
      node.id = `${data.id}-${piece.word}`;
      words.push(node);
    }
    box.append(node);
  }
  const wordOf = (event) => {
    const node = event.target.closest?.('span[role=option]');
    return node ? Number(node.dataset.word) : null;
  };
  box.onpointerdown = (event) => {
    const word = wordOf(event);
    if (word === null) return;
    if (event.shiftKey && state.from !== null) {
      state.to = word;
    } else if (state.from !== null && low() === word && high() === word) {
      return clear();
    } else {
      state.from = state.to = word;
      state.dragging = true;
      event.target.releasePointerCapture?.(event.pointerId);
    }
    state.at = word;
    paint();
    if (!state.dragging) send();
  };
  box.onpointerover = (event) => {
    const word = wordOf(event);
    if (state.dragging && word !== null) { state.to = state.at = word; paint(); }
  };
  const release = () => { if (state.dragging) { state.dragging = false; send(); } };
  window.addEventListener('pointerup', release);
  box.onkeydown = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !words.length) return;
    const ahead = getComputedStyle(box).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const back = ahead === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const steps = { [ahead]: state.at + 1, [back]: state.at - 1, Home: 0, End: words.length - 1 };
    if (event.key in steps) {
      const next = Math.max(0, Math.min(words.length - 1, steps[event.key]));
      if (event.shiftKey) {
        if (state.from === null) state.from = state.at;
        state.to = next;
      }
      state.at = next;
      paint();
      if (event.shiftKey) send();
    } else if (event.key === ' ' || event.key === 'Enter') {
      if (state.from === state.at && state.to === state.at) return (event.preventDefault(), clear());
      state.from = state.to = state.at;
      paint();
      send();
    } else if (event.key === 'Escape') {
      clear();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  paint();
  if (data.takesFocus && !box.mtFocused) { box.mtFocused = true; box.focus({ preventScroll: true }); }
  return () => window.removeEventListener('pointerup', release);
}
