const steps = { n: ['table', 1], p: ['table', -1], d: ['corpus', 1], u: ['corpus', -1] };
const counts = new WeakMap();
export default function ({ parentElement, setStateValue }) {
  const count = counts.get(parentElement) ?? { id: `${Date.now()}-${Math.random()}`, table: 0, corpus: 0 };
  counts.set(parentElement, count);
  const press = (event) => {
    const step = steps[event.key.toLowerCase()];
    const box = parentElement.host ?? parentElement;
    if (!box.isConnected || box.offsetParent === null) return;  // another view is open
    if (!step || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const at = event.composedPath()[0];
    if (at.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(at.tagName)) return;
    count[step[0]] += step[1];
    setStateValue('moved', { ...count });
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}
