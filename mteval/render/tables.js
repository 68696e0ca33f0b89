// Tables in the browser: a click on a heading sorts the rows of each block, boxes hide columns. Added once a window.
const DASH = '–';

// Sorts numbers as numbers; dashes last.
const valueOf = (cell) => {
  const shown = [...cell.childNodes].filter((one) => !one.classList?.contains('mt-below') && !one.classList?.contains('mt-shape'));
  const text = shown.map((one) => one.textContent).join('').trim();
  const number = parseFloat(text.replace(/−/g, '-').replace(/[,<>]/g, '').trim());
  return text === DASH || text === '' ? null : Number.isNaN(number) ? text.toLowerCase() : number;
};

// In a block, the heading of its rows stands in the first one: other rows have a cell less.
const cellAt = (row, place, width) => row.cells[place - (width - row.cells.length)];

const sortBy = (head) => {
  const table = head.closest('table');
  const width = head.parentElement.cells.length;
  const isDown = head.getAttribute('aria-sort') === 'descending';
  for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', isDown ? 'ascending' : 'descending');
  for (const body of table.tBodies) {
    const first = body.querySelector('th[scope=rowgroup]');
    const held = [...body.rows].map((row) => ({ row, cell: cellAt(row, head.cellIndex, width) }));
    if (held.some(({ cell }) => !cell || cell === first)) continue;
    const keyed = held.map(({ row, cell }) => ({ row, value: valueOf(cell) }));
    const compare = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === 'number' ? -1 : 1);
    keyed.sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return isDown ? compare(a, b) : compare(b, a);
    });
    for (const { row } of keyed) body.append(row);
    if (first) body.rows[0].prepend(first);
  }
};

const showColumn = (box) => {
  const table = box.closest('.mt-columns').nextElementSibling.querySelector('table');
  const width = table.tHead.rows[0].cells.length;
  for (const row of table.rows) cellAt(row, Number(box.dataset.column), width)?.classList.toggle('mt-gone', !box.checked);
};

if (!window.mtevalTables) {
  window.mtevalTables = true;
  document.documentElement.classList.add('mt-scripted');
  document.addEventListener('click', (event) => {
    const head = event.target.closest?.('.mt-table thead th');
    if (head) sortBy(head);
  });
  document.addEventListener('change', (event) => {
    if (event.target.matches?.('.mt-columns input')) showColumn(event.target);
  });
}
