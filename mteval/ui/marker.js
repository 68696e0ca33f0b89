// Marks errors in texts by keys alone. What is marked lives here first and is sent whole, item by item, until the server
// acknowledges it; what is not acknowledged stands in the browser's storage and is sent again after a reload.
// Positions are characters (code points), as in Python. Texts arrive as data and are written as text, never as HTML.

const JUMP = 5;  // words
const TYPED = ['INPUT', 'TEXTAREA', 'SELECT'];
const newId = () => [...crypto.getRandomValues(new Uint32Array(2))].map((one) => one.toString(36)).join('');
const isTyped = (event) => {
  const at = event.composedPath()[0];
  return at.isContentEditable || TYPED.includes(at.tagName);
};
const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node[key] = value;
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children);
  return node;
};

class Marker {
  constructor(root) {
    this.root = root;
    this.page = newId();
    this.count = 0;
    this.items = new Map();
    this.queue = {};  // by item: what the server has not acknowledged
    this.nodes = new Map();  // by text: its list of words
    this.last = { category: '', severity: '' };
    this.at = null;  // item, text and word of the cursor
    this.picked = null;  // first and last character of a selection, and where it began
    this.typing = null;  // note or label that is being written
    this.said = make('p', { class: 'said', 'aria-live': 'polite' });
    this.palette = make('div', { class: 'palette' });
    this.body = make('div', { class: 'items' });
    root.replaceChildren(this.body, this.said);
  }

  // -- what arrives ------------------------------------------------------------------------------------------------

  take(data) {
    const isNew = this.data?.scope !== data.scope;
    this.data = data;
    if (isNew) this.resend();
    for (const [id, seq] of Object.entries(data.acknowledged ?? {})) this.acknowledge(id, seq);
    const names = data.categories.map((one) => one.name);
    if (!names.includes(this.last.category)) {
      this.last.category = names.find((one) => one.endsWith('Mistranslation')) ?? names[0] ?? '';
    }
    const degrees = data.severities.map((one) => one.name);
    if (!degrees.includes(this.last.severity)) this.last.severity = degrees.includes('major') ? 'major' : degrees[0];
    const before = this.items;
    this.items = new Map(data.items.map((item) => [item.id, this.merged(item, before.get(item.id))]));
    if (!this.items.has(this.at?.item)) {
      this.at = this.picked = this.typing = null;
      const first = this.places()[0];
      if (first) this.at = { ...first, word: 0 };
    }
    this.draw();
  }

  // An item as the server has it, with what is not acknowledged yet.
  merged(item, before) {
    const waiting = this.queue[item.id];
    const known = new Map(item.marks.map((one) => [one.id, one]));
    const texts = item.texts.map((text) => ({ ...text, characters: Array.from(text.text) }));
    const own = waiting && waiting.marks ? waiting : null;
    const marks = (own ? own.marks : item.marks).map((one) => ({ ...one, info: known.get(one.id)?.info ?? one.info }));
    const label = own && own.label !== undefined ? own.label : item.label;
    return { ...item, ...(own?.form ?? {}), texts, marks, label, undo: before?.undo ?? [] };
  }

  acknowledge(id, seq) {
    if (this.queue[id]?.seq !== seq) return;
    delete this.queue[id];
    this.store(id);
    this.drawState();
  }

  // -- what is kept until it is acknowledged -----------------------------------------------------------------------

  storageKey(id) { return `mteval ${this.data.scope} ${id}`; }

  store(id) {
    try {
      if (this.queue[id]) localStorage.setItem(this.storageKey(id), JSON.stringify(this.queue[id]));
      else localStorage.removeItem(this.storageKey(id));
    } catch { /* without storage only a reload in the same second loses anything */ }
  }

  resend() {
    const start = this.storageKey('');
    try {
      for (let place = 0; place < localStorage.length; place += 1) {
        const key = localStorage.key(place);
        if (key.startsWith(start)) this.queue[key.slice(start.length)] = JSON.parse(localStorage.getItem(key));
      }
    } catch { /* as above */ }
    if (Object.keys(this.queue).length) this.send(this.queue);
  }

  // What is sent of an item. Pages add to it.
  written(item) {
    const marks = item.marks.map(({ id, text, start, end, category, severity, comment, is_rejected }) => (
      { id, text, start, end, category, severity, comment, is_rejected: Boolean(is_rejected) }));
    const texts = item.texts.filter((one) => one.isMarkable).map((one) => one.key);
    return { marks, texts, label: item.label ?? '' };
  }

  keep(item) {
    this.count += 1;
    this.queue[item.id] = { ...this.written(item), seq: `${this.page}-${this.count}` };
    this.store(item.id);
    this.draw();
    this.send(this.queue);
  }

  // -- places ------------------------------------------------------------------------------------------------------

  places() {
    const found = [];
    for (const item of this.items.values()) {
      for (const text of item.texts) if (text.isMarkable) found.push({ item: item.id, text: text.key });
    }
    return found;
  }

  item() { return this.items.get(this.at?.item); }

  text(at = this.at) { return this.items.get(at?.item)?.texts.find((one) => one.key === at.text); }

  word() { return this.text()?.words[this.at.word] ?? [0, 0]; }

  // The mark at the cursor: the one that was touched last, if several are there.
  current() {
    const item = this.item();
    if (!item || !this.text()) return null;
    const [start, end] = this.word();
    const here = item.marks.filter((one) => one.text === this.at.text && !one.is_rejected && (
      (one.start < end && start < one.end) || one.id === this.touched));
    return here.find((one) => one.id === this.touched) ?? here.at(-1) ?? null;
  }

  move(word, isExtending) {
    const text = this.text();
    const next = Math.max(0, Math.min(text.words.length - 1, word));
    if (next !== this.at.word) this.touched = null;
    this.at.word = next;
    if (isExtending && this.picked) {
      const [from, to] = [text.words[this.picked.word], text.words[next]];
      Object.assign(this.picked, { start: Math.min(from[0], to[0]), end: Math.max(from[1], to[1]) });
    }
    this.draw();
  }

  pick() {
    const [start, end] = this.word();
    this.picked = { start, end, word: this.at.word };
    this.move(this.at.word);
  }

  drop() { this.picked = null; if (this.text()) this.move(this.at.word); }

  // Select characters: to the right from the start of the word, to the left from before it.
  pickCharacter(step) {
    const text = this.text(), [start] = this.word();
    this.picked ??= { start, end: start, anchor: start, head: start };
    const one = this.picked;
    one.anchor ??= one.start;
    one.head = Math.max(0, Math.min(text.characters.length, (one.head ?? one.end) + step));
    [one.start, one.end] = [Math.min(one.anchor, one.head), Math.max(one.anchor, one.head)];
    const reached = text.words.findIndex(([, end]) => end >= one.head);
    this.at.word = reached < 0 ? text.words.length - 1 : reached;
    if (one.start === one.end) this.picked = null;
    this.touched = null;
    this.move(this.at.word);
  }

  // Up and down: the nearest word of the line above or below, else of the next text.
  moveLine(step) {
    const node = this.nodes.get(this.nodeKey(this.at));
    const words = [...node.querySelectorAll('[role=option]')];
    const box = words[this.at.word].getBoundingClientRect();
    const middle = (one) => (one.left + one.right) / 2;
    const others = words.map((one, word) => ({ word, box: one.getBoundingClientRect() }))
      .filter((one) => (step > 0 ? one.box.top > box.top + 2 : one.box.top < box.top - 2));
    if (others.length) {
      const line = (step > 0 ? Math.min : Math.max)(...others.map((one) => one.box.top));
      const near = others.filter((one) => Math.abs(one.box.top - line) < 3)
        .sort((one, other) => Math.abs(middle(one.box) - middle(box)) - Math.abs(middle(other.box) - middle(box)));
      return this.move(near[0].word, this.picked?.word !== undefined);
    }
    const all = this.places(), here = all.findIndex((one) => one.item === this.at.item && one.text === this.at.text);
    const next = all[here + step];
    if (next) this.go(next, step > 0 ? 0 : Infinity);
  }

  go(place, word = 0) {
    const words = this.items.get(place.item).texts.find((one) => one.key === place.text).words.length;
    this.at = { ...place, word: Math.max(0, Math.min(words - 1, word)) };
    this.picked = this.touched = null;
    this.draw();
    this.focus();
  }

  // Change what is drawn, and scroll so that a text stays under the pointer: the palette may leave from above it.
  keepInPlace(node, change) {
    const before = node.getBoundingClientRect().top;
    change();
    const shift = node.getBoundingClientRect().top - before;
    if (!shift) return;
    let scroller = this.root.getRootNode().host ?? this.root;
    while (scroller && !['auto', 'scroll'].includes(getComputedStyle(scroller).overflowY)) scroller = scroller.parentElement;
    scroller?.scrollBy(0, shift);
  }

  focus() {
    const node = this.nodes.get(this.nodeKey(this.at));
    node?.focus({ preventScroll: true });
    node?.scrollIntoView({ block: 'nearest' });
  }

  // -- changes -----------------------------------------------------------------------------------------------------

  change(item, make) {
    if (this.data.isFrozen || item.isFrozen) return false;
    const before = JSON.stringify(item.marks);
    make();
    const rank = new Map(item.texts.map((text, place) => [text.key, place]));
    item.marks.sort((one, other) => rank.get(one.text) - rank.get(other.text) || one.start - other.start
      || one.end - other.end);
    if (JSON.stringify(item.marks) !== before) { item.undo.push(before); this.keep(item); }
    return true;
  }

  // A category or severity: of the selection as a new mark, else of the mark at the cursor, else of its word.
  set(what) {
    const item = this.item(), text = this.text();
    if (!item || !text || !text.words.length) return;
    Object.assign(this.last, what);
    const old = this.picked ? null : this.current();
    if (!old && item.marks.length >= (this.data.mostMarks ?? Infinity)) {
      return this.say(`This item has ${this.data.mostMarks} errors, which is the limit. Remove one first.`);
    }
    this.change(item, () => {
      if (old) { Object.assign(old, what); this.touched = old.id; return; }
      const [start, end] = this.picked ? [this.picked.start, this.picked.end] : this.word();
      const one = { id: newId(), text: text.key, start, end, comment: '', ...this.last };
      if (text.category) one.category = text.category;
      if (!this.data.categories.length) one.category = '';
      item.marks.push(one);
      this.touched = one.id;
      this.picked = null;
    });
    const mark = item.marks.find((one) => one.id === this.touched);
    if (mark) this.say(`${this.words(item, mark)}: ${[mark.category, mark.severity].filter(Boolean).join(', ')}`);
    this.draw();
  }

  remove(item, mark) {
    this.change(item, () => {
      if (mark.origin) mark.is_rejected = true;
      else item.marks.splice(item.marks.indexOf(mark), 1);
    });
    this.touched = null;
    this.say(`Removed: ${this.words(item, mark)}`);
  }

  undo() {
    const item = this.item();
    if (!item?.undo.length || this.data.isFrozen || item.isFrozen) return this.say('Nothing to undo');
    const info = new Map(item.marks.map((one) => [one.id, one.info]));
    item.marks = JSON.parse(item.undo.pop()).map((one) => ({ ...one, info: info.get(one.id) ?? one.info }));
    this.touched = null;
    this.keep(item);
    this.say('Undone');
  }

  words(item, mark) {
    const text = item.texts.find((one) => one.key === mark.text);
    const words = (text?.characters ?? []).slice(mark.start, mark.end).join('');
    return words.trim() ? `“${words}”` : 'missing word';
  }

  say(text) { this.said.textContent = text; }

  // -- keys --------------------------------------------------------------------------------------------------------

  press(event) {
    const isCommand = event.ctrlKey || event.metaKey;
    if (event.altKey || event.defaultPrevented || !this.text()) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (isCommand && key !== 'z' && !event.key.startsWith('Arrow')) return;
    if (!this.act(key, event.shiftKey, isCommand)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Return whether a key means something here.
  act(key, isShift, isCommand) {
    const words = this.text().words.length, at = this.at.word;
    const node = this.nodes.get(this.nodeKey(this.at));
    const isRight = getComputedStyle(node).direction !== 'rtl';
    const ahead = isRight ? 'ArrowRight' : 'ArrowLeft', back = isRight ? 'ArrowLeft' : 'ArrowRight';
    const stride = isCommand ? JUMP : 1, isExtending = this.picked?.word !== undefined;
    if (isShift && (key === ahead || key === back)) this.pickCharacter(key === ahead ? 1 : -1);
    else if (key === ahead) this.move(at + stride, isExtending);
    else if (key === back) this.move(at - stride, isExtending);
    else if (key === '.' || key === '>') this.move(at + JUMP, isExtending);
    else if (key === ',' || key === '<') this.move(at - JUMP, isExtending);
    else if (key === 'Home') this.move(0, isExtending);
    else if (key === 'End') this.move(words - 1, isExtending);
    else if (key === 'ArrowUp' || key === 'ArrowDown') this.moveLine(key === 'ArrowDown' ? 1 : -1);
    else if (key === ' ') { if (this.picked) this.drop(); else this.pick(); }
    else if (key === 'Escape') this.drop();
    else if (key === 'Backspace' || key === 'Delete') { if (this.current()) this.remove(this.item(), this.current()); }
    else if (key === 'z') this.undo();
    else if (key === 'Enter') { if (this.current()) this.write('note'); }
    else if (key === 'l' && this.data.hasLabels) this.write('label');
    else {
      const category = this.data.categories.find((one) => one.key.toLowerCase() === key);
      const severity = this.data.severities.find((one) => one.key === key);
      if (category) this.set({ category: category.name });
      else if (severity) this.set({ severity: severity.name });
      else return false;
    }
    return true;
  }

  // Write the note of the mark at the cursor, or the label of the item.
  write(what, mark = this.current()) {
    const item = this.item();
    if (this.data.isFrozen || item.isFrozen) return;
    this.typing = { what, item: item.id, mark: what === 'note' ? mark.id : null };
    this.draw();
    this.root.querySelector('input.typed')?.select();
  }

  field(value, label, keep) {
    const end = (isKept, input) => {
      if (!this.typing) return;
      this.typing = null;
      if (isKept) keep(input.value.trim());
      this.draw();
      this.focus();
    };
    return make('input', {
      class: 'typed', value, 'aria-label': label, placeholder: label, maxlength: 500,
      onkeydown: (event) => {
        event.stopPropagation();
        if (event.key === 'Enter' || event.key === 'Escape') {
          event.preventDefault();
          end(event.key === 'Enter', event.target);
        }
      },
      onblur: (event) => end(true, event.target),
    });
  }

  // -- pictures ----------------------------------------------------------------------------------------------------

  nodeKey(at) { return `${at.item} ${at.text}`; }

  // What decides the elements. As long as it is the same they stay, and with them the focus.
  shape() {
    return JSON.stringify([...this.items.values()].map((item) => [
      item.id, item.texts.map((one) => [one.key, one.label, one.text, one.isMarkable]), this.shapeOf(item)]));
  }

  shapeOf() { return null; }  // of what pages add

  draw() {
    const shape = this.shape();
    if (shape !== this.drawn) {
      const hadFocus = this.root.getRootNode().activeElement;
      const isIn = hadFocus && this.root.contains(hadFocus);
      this.drawn = shape;
      this.nodes = new Map();
      this.body.replaceChildren(...[...this.items.values()].map((item) => this.drawItem(item)));
      if (isIn && this.at) this.focus();
    }
    for (const item of this.items.values()) {
      for (const text of item.texts) this.drawText(item.id, text);
      this.drawMarks(item);
    }
    this.drawPalette();
    this.drawState();
  }

  drawItem(item) {
    const rows = item.texts.map((text) => {
      const node = make('div', { class: text.isMarkable ? 'words' : 'plain', dir: 'auto' });
      if (text.isMarkable) {
        for (const [name, value] of Object.entries({
          role: 'listbox', tabindex: '0', 'aria-multiselectable': 'true', 'aria-label': text.label,
        })) node.setAttribute(name, value);
        this.listen(node, item, text);
      }
      this.nodes.set(this.nodeKey({ item: item.id, text: text.key }), node);
      return [make('span', { class: 'label', 'aria-hidden': text.isMarkable ? 'true' : null }, text.label), node];
    });
    const node = make('div', { class: 'item' }, make('div', { class: 'texts' }, ...rows.flat()),
      make('ol', { class: 'marks' }));
    item.node = node;
    this.itemNodes ??= new Map();
    this.itemNodes.set(item.id, node);
    return node;
  }

  listen(node, item, text) {
    const place = { item: item.id, text: text.key };
    const wordOf = (event) => {
      const found = event.target.closest?.('[role=option]');
      return found ? Number(found.dataset.word) : null;
    };
    node.onkeydown = (event) => this.press(event);
    node.onfocus = () => {
      if (this.at?.item === place.item && this.at.text === place.text) return;
      this.go(place, 0);
    };
    node.onpointerdown = (event) => {
      const word = wordOf(event);
      if (word === null) return;
      const isSame = this.at?.item === place.item && this.at.text === place.text;
      if (event.shiftKey && isSame) {
        const from = this.picked?.word ?? this.at.word;
        this.picked = { word: from };
        return this.move(word, true);
      }
      this.keepInPlace(node, () => this.go(place, word));
      this.dragged = word;
      event.target.releasePointerCapture?.(event.pointerId);
    };
    node.onpointerover = (event) => {
      // Words are drawn anew while a button is down. It may be released over one that is gone, which tells nobody.
      if (!(event.buttons & 1)) this.dragged = undefined;
      const word = wordOf(event);
      if (this.dragged === undefined || word === null || (word === this.dragged && !this.picked)) return;
      this.picked ??= { word: this.dragged };
      this.move(word, true);
    };
  }

  drawText(id, text) {
    const at = { item: id, text: text.key }, node = this.nodes.get(this.nodeKey(at));
    const item = this.items.get(id);
    if (!node || !item) return;
    const isHere = this.at?.item === id && this.at.text === text.key;
    const marks = item.marks.filter((one) => one.text === text.key && !one.is_rejected);
    const picked = isHere && this.picked && this.picked.end !== undefined ? this.picked : null;
    const edges = new Set([0, text.characters.length]);
    for (const one of [...marks, ...(picked ? [picked] : [])]) edges.add(one.start).add(one.end);
    for (const [start, end] of [...text.words, ...(text.shaded ?? [])]) edges.add(start).add(end);
    const cuts = [...edges].filter((one) => one <= text.characters.length).sort((one, other) => one - other);
    const pieces = cuts.slice(1).map((end, place) => this.piece(text, marks, picked, cuts[place], end));
    const children = [];
    let next = 0;
    for (const piece of pieces) {
      while (next < text.words.length && text.words[next][1] <= piece.start) next += 1;
      const word = text.words[next];
      if (!text.isMarkable || !word || piece.end <= word[0]) { children.push(piece.node); continue; }
      const last = children.at(-1);
      if (last?.dataset?.word === String(next)) { last.append(piece.node); continue; }
      const isAt = isHere && next === this.at.word;
      children.push(make('span', {
        role: 'option', id: `word-${this.nodeKey(at).replace(/\s/g, '-')}-${next}`, 'data-word': String(next),
        class: isAt ? 'at' : null, 'aria-selected': String(Boolean(picked && picked.start < word[1]
          && word[0] < picked.end)),
      }, piece.node));
    }
    node.replaceChildren(...children);
    const current = node.querySelector('.at');
    if (current) node.setAttribute('aria-activedescendant', current.id);
    else node.removeAttribute('aria-activedescendant');
  }

  piece(text, marks, picked, start, end) {
    const here = marks.filter((one) => one.start < end && start < one.end);
    const order = this.data.order;
    const worst = here.map((one) => one.severity).sort((one, other) => order.indexOf(other) - order.indexOf(one))[0];
    const names = [worst && `mark ${worst}`, here.length > 1 && 'several', here.some((one) => one.origin) && 'found',
      picked && picked.start < end && start < picked.end && 'on',
      (text.shaded ?? []).some(([from, to]) => from < end && start < to) && `differs ${text.side}`];
    const title = here.map((one) => [one.category, one.severity, one.comment].filter(Boolean).join(', ')).join('; ');
    const node = make('span', { class: names.filter(Boolean).join(' ') || null, title: title || null },
      text.characters.slice(start, end).join(''));
    return { start, end, node };
  }

  drawMarks(item) {
    const list = this.itemNodes.get(item.id)?.querySelector('.marks');
    if (!list) return;
    const current = this.at?.item === item.id ? this.current()?.id : null;
    const rows = item.marks.map((mark) => {
      const isWritten = this.typing?.mark === mark.id;
      const text = item.texts.find((one) => one.key === mark.text);
      const label = item.texts.filter((one) => one.isMarkable).length > 1 ? text?.short ?? text?.label : '';
      const kind = [mark.category, mark.severity].filter(Boolean).join(', ');
      const found = mark.origin ? `found by ${mark.origin}${mark.is_rejected ? ', removed' : ''}` : '';
      const choose = make('button', {
        type: 'button', class: 'choose', 'aria-pressed': String(mark.id === current),
        onclick: () => this.choose(item, mark),
      }, make('bdi', {}, this.words(item, mark)), ` ${kind}`);
      const parts = [choose, ...[label, mark.info, found].filter(Boolean).map((one) => make('span', { class: 'info' }, one))];
      if (isWritten) {
        parts.push(this.field(mark.comment ?? '', 'Note', (text) => {
          const now = this.items.get(item.id);  // it may have arrived anew meanwhile
          this.change(now, () => { now.marks.find((one) => one.id === mark.id).comment = text; });
        }));
      } else if (mark.comment) {
        parts.push(make('span', { class: 'note' }, mark.comment));
      }
      if (!this.data.isFrozen && !item.isFrozen) parts.push(...this.actions(item, mark));
      return make('li', { class: [mark.severity, mark.is_rejected && 'rejected'].filter(Boolean).join(' ') }, ...parts);
    });
    if (this.typing?.item === item.id && this.typing.what === 'label') {
      rows.push(make('li', {}, this.field(item.label ?? '', 'Label of this segment', (text) => {
        const now = this.items.get(item.id);
        if (text !== (now.label ?? '')) { now.label = text; this.keep(now); }
      })));
    } else if (item.label) {
      rows.push(make('li', { class: 'info' }, `Label: ${item.label}`));
    }
    if (list.contains(list.getRootNode().activeElement) && this.typing) return;  // somebody writes there
    list.replaceChildren(...rows);
  }

  actions(item, mark) {
    const button = (label, act) => make('button', { type: 'button', class: 'act', onclick: act }, label);
    if (mark.is_rejected) {
      return [button('Restore', () => this.change(item, () => { mark.is_rejected = false; }))];
    }
    const note = button('Note', () => { this.choose(item, mark); this.write('note', mark); });
    return [note, button('Remove', () => this.remove(item, mark))];
  }

  choose(item, mark) {
    const text = item.texts.find((one) => one.key === mark.text);
    const word = text.words.findIndex(([, end]) => end > mark.start);
    this.go({ item: item.id, text: mark.text }, word < 0 ? text.words.length - 1 : word);
    this.touched = mark.id;
    this.draw();
  }

  drawPalette() {
    const { categories, severities, isFrozen } = this.data;
    const current = this.item() && this.text() ? this.current() : null;
    const isTextLocked = Boolean(this.text()?.category);
    // Without a mark at the cursor, what a new one would be is drawn as next.
    const button = (one, what, title) => make('button', {
      type: 'button', title, 'aria-pressed': String(current?.[what] === one.name),
      class: !current && this.last[what] === one.name ? 'next' : null,
      onpointerdown: (event) => event.preventDefault(),  // the focus stays on the words
      onclick: () => this.set({ [what]: one.name }),
    }, make('kbd', {}, one.key.toUpperCase()), ` ${one.name.split('/').at(-1)}`);
    const shown = isFrozen || !this.places().length ? [] : [
      ...(categories.length && !isTextLocked
        ? [make('div', { class: 'keys', role: 'group', 'aria-label': 'Category' },
          ...categories.map((one) => button(one, 'category', one.name)))] : []),
      make('div', { class: 'keys', role: 'group', 'aria-label': 'Severity' },
        ...severities.map((one) => button(one, 'severity', one.name))),
      this.help(),
    ];
    const below = this.itemNodes?.get(this.at?.item)?.querySelector('.texts');
    if (below && below.nextSibling !== this.palette) below.after(this.palette);
    const isOpen = this.palette.querySelector('details')?.open;
    this.palette.replaceChildren(...shown);
    const details = this.palette.querySelector('details');
    if (details && isOpen) details.open = true;
  }

  help() {
    const rows = [['M', 'go to the words'], ['← →', 'word'], [', .', `${JUMP} words`], ['↑ ↓', 'line, then text'],
      ['Space', 'select several words'], ['Shift ← →', 'select characters; a selected space is a missing word'],
      ['Enter', 'note'], ['Delete', 'remove'], ['Z', 'undo'], ...(this.data.hasLabels ? [['L', 'label']] : []),
      ...(this.data.help ?? [])];
    return make('details', { class: 'help' }, make('summary', {}, 'Keys'),
      make('p', {}, ...rows.flatMap(([key, words]) => [make('kbd', {}, key), ` ${words}  `])));
  }

  drawState() {
    const isWaiting = Object.keys(this.queue).length > 0;
    this.root.dataset.state = isWaiting ? 'saving' : 'saved';
    this.state ??= make('p', { class: 'state' });
    if (!this.state.isConnected) this.root.append(this.state);
    this.state.textContent = isWaiting ? 'Saving…' : this.count ? this.data.saved : '';
  }
}

// Show data in an element that stays while the page is drawn again, and listen to the document until it leaves.
// A script that browsers keep has its style with it (mteval/ui/kept_files.py).
const dress = (parentElement) => {
  if (typeof STYLE === 'undefined' || parentElement.querySelector('style.kept')) return;
  const style = document.createElement('style');
  style.className = 'kept';
  style.textContent = STYLE;
  parentElement.prepend(style);
};

const mount = (kind, parentElement, data, send) => {
  dress(parentElement);
  const root = parentElement.querySelector('.marker');
  const marker = (root.mtMarker ??= new kind(root));
  if (send) marker.send = send;
  marker.take(data);
  const release = () => { marker.dragged = undefined; };
  const press = (event) => {
    if (event.key.toLowerCase() !== 'm' || event.ctrlKey || event.altKey || event.metaKey || isTyped(event)) return;
    if (event.defaultPrevented || !root.isConnected || !root.getClientRects().length || !marker.at) return;
    event.preventDefault();
    marker.focus();
  };
  window.addEventListener('pointerup', release);
  document.addEventListener('keydown', press);
  return () => {
    window.removeEventListener('pointerup', release);
    document.removeEventListener('keydown', press);
  };
};
