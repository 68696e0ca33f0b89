// Tables in the browser: a click on a heading sorts the rows of each block, boxes hide columns. Added once a window.
const DASH = '–';

// What a cell is sorted by: a number, a text, or null for a dash. Shapes and second lines do not count.
const valueOf = (cell) => {
  const isText = (node) => !node.classList?.contains('mt-below') && !node.classList?.contains('mt-shape');
  const nodes = [...cell.childNodes].filter(isText);
  const text = nodes.map((node) => node.textContent).join('').trim();
  if (text === DASH || text === '') return null;
  const number = parseFloat(text.replace(/−/g, '-').replace(/[,<>]/g, '').trim());
  return Number.isNaN(number) ? text.toLowerCase() : number;
};

// The order of two values: numbers as numbers, before texts.
const compare = (a, b) => {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  if (a < b) return -1;
  return a > b ? 1 : 0;
};

// In a block, the heading of its rows stands in the first one: other rows have a cell less.
const cellAt = (row, place, width) => row.cells[place - (width - row.cells.length)];

const sortBy = (head) => {
  const table = head.closest('table');
  const width = head.parentElement.cells.length;
  // The first click sorts down, the second up.
  const isRising = head.getAttribute('aria-sort') === 'descending';
  for (const heading of head.parentElement.cells) heading.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', isRising ? 'ascending' : 'descending');
  for (const block of table.tBodies) {
    const blockHeading = block.querySelector('th[scope=rowgroup]');
    const rows = [...block.rows].map((row) => ({ row, cell: cellAt(row, head.cellIndex, width) }));
    // The column of block headings has one value per block.
    if (rows.some(({ cell }) => !cell || cell === blockHeading)) continue;
    const keyed = rows.map(({ row, cell }) => ({ row, value: valueOf(cell) }));
    keyed.sort(({ value: a }, { value: b }) => {
      if (a === null || b === null) return (a === null) - (b === null); // dashes last
      return isRising ? compare(a, b) : compare(b, a);
    });
    for (const { row } of keyed) block.append(row);
    if (blockHeading) block.rows[0].prepend(blockHeading);
  }
};

const showColumn = (box) => {
  const table = box.closest('.mt-columns').nextElementSibling.querySelector('table');
  const width = table.tHead.rows[0].cells.length;
  const place = Number(box.dataset.column);
  for (const row of table.rows) {
    const cell = cellAt(row, place, width);
    cell?.classList.toggle('mt-gone', !box.checked);
  }
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
