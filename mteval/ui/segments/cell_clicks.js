// A click on a cell of the grid, or a key on it, says which system and test set it is about.
export default function ({ setTriggerValue }) {
  const open = (event) => {
    const cell = event.target.closest?.('[data-opens]');
    if (cell) setTriggerValue('opened', JSON.parse(cell.dataset.opens));
  };
  document.addEventListener('click', open);
  return () => document.removeEventListener('click', open);
}
