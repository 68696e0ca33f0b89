
// What an annotator says about the items on the screen. Answers go to a route of the server, one at a time for each
// item; a window is known by its number, so that an older one never overwrites what it has not seen.
const REST = 30_000;  // milliseconds without a key or click that count as a pause
const RETRY = [500, 1000, 2000, 5000, 15_000];
const PAUSE = 700;  // milliseconds before a comment is saved while somebody types

class TaskMarker extends Marker {
  constructor(root) {
    super(root);
    Object.assign(this, { flying: new Set(), revisions: {}, tries: {}, forms: new Map(), times: new Map() });
    this.active = this.ticked = performance.now();
    this.error = make('p', { class: 'error', role: 'alert' });
    root.prepend(this.error);
  }

  take(data) {
    const isNext = this.data && this.data.screen !== data.screen;
    this.body.classList.toggle('beside', Boolean(data.isBeside));
    this.body.style.setProperty('--n', data.items.filter((one) => !one.isContext).length);
    for (const item of data.items) {
      if (item.isContext) continue;
      this.revisions[item.id] = Math.max(item.revision, this.revisions[item.id] ?? 0);
      if (!this.times.has(item.id)) this.times.set(item.id, { seconds: item.seconds, paused: item.paused, shown: 0 });
    }
    if (isNext || !this.data) {
      for (const item of data.items) if (this.times.has(item.id)) this.times.get(item.id).shown = performance.now();
      this.leaving = this.open = null;
      this.error.textContent = '';
    }
    super.take(data);
    if (isNext || !this.hasBegun) {
      this.hasBegun = true;
      const first = [...this.items.values()].find((one) => !one.isContext && !one.isComplete) ?? this.task();
      const place = this.places().filter((one) => one.item === first?.id).at(-1);
      if (place) this.go(place, 0);
      else this.itemNodes.get(first?.id)?.querySelector('[tabindex="0"], button')?.focus({ preventScroll: true });
    }
  }

  // The item that is worked on.
  task() {
    const tasks = [...this.items.values()].filter((one) => !one.isContext);
    return tasks.find((one) => one.id === (this.open ?? this.at?.item)) ?? tasks[0];
  }

  tick() {
    const now = performance.now(), time = this.times.get(this.task()?.id);
    const isPaused = document.hidden || now - this.active > REST;
    if (time) time[isPaused ? 'paused' : 'seconds'] += (now - this.ticked) / 1000;
    this.ticked = now;
  }

  // -- what is sent ------------------------------------------------------------------------------------------------

  written(item) {
    this.tick();
    const { marks } = super.written(item);
    const { seconds, paused } = this.times.get(item.id);
    const form = { values: { ...item.values }, comment: item.comment, preference: item.preference,
      isComplete: item.isComplete };
    const answer = { window: this.page, number: this.count, base: 0, marks, comment: item.comment,
      is_complete: item.isComplete, seconds: Math.round(seconds * 10) / 10, paused: Math.round(paused * 10) / 10 };
    for (const [name, value] of Object.entries(item.values)) if (value !== null) answer[name] = value;
    if (item.preference) answer.preference = item.preference;
    return { marks: item.marks, form, answer };
  }

  send() { for (const id of Object.keys(this.queue)) this.post(id); }

  async post(id) {
    const entry = this.queue[id];
    if (!entry || this.flying.has(id)) return;
    this.flying.add(id);
    const { token, url } = this.data;
    if (entry.answer.window === this.page) entry.answer.base = this.revisions[id] ?? entry.answer.base;
    this.store(id);
    let status = 0, told = {};
    try {
      const body = JSON.stringify({ token, task: Number(id), answer: entry.answer });
      const response = await fetch(new URL(url, location.href), {
        method: 'POST', body, keepalive: body.length < 60_000, headers: { 'content-type': 'application/json' } });
      [status, told] = [response.status, await response.json()];
    } catch { status = 0; }
    this.flying.delete(id);
    if (status === 200) {
      this.tries[id] = 0;
      this.error.textContent = '';
      this.revisions[id] = Math.max(told.revision, this.revisions[id] ?? 0);
      if (this.queue[id] === entry) this.acknowledge(id, entry.seq);
      else this.post(id);
      this.leave();
    } else if (status === 409) {
      this.acknowledge(id, this.queue[id].seq);  // somebody said something later
      this.error.textContent = told.error;
      this.leaving = null;
      this.refresh();
    } else if (status === 400 || status === 403 || status === 404 || status === 405) {
      this.error.textContent = told.error ?? 'Not saved.';
      this.leaving = null;
    } else {
      this.tries[id] = (this.tries[id] ?? 0) + 1;
      this.error.textContent = 'The server does not answer. Your answers are kept here and sent again.';
      setTimeout(() => this.post(id), RETRY[Math.min(this.tries[id], RETRY.length) - 1]);
    }
  }

  refresh() { this.goTo({ to: this.data.here, again: newId() }); }

  // -- steps -------------------------------------------------------------------------------------------------------

  leave() {
    if (!this.leaving || Object.keys(this.queue).length) return;
    this.goTo({ to: this.leaving.to, again: this.leaving.again });
  }

  // Close an item and go on. Nothing closes that was not on the screen long enough to be read.
  done() {
    const item = this.task();
    if (!item || this.leaving) return;
    if (item.isFrozen || this.data.isFrozen) return this.step(1);
    const lacking = Object.entries(item.values).find(([, value]) => value === null);
    if (lacking) {
      this.say('Give a score first.');
      this.itemNodes.get(item.id)?.querySelector(`[data-scale=${lacking[0]}]`)?.focus();
      return;
    }
    if (this.choices(item).length && !item.preference) return;
    if (!this.isRead(item)) return;
    item.isComplete = true;
    this.keep(item);
    this.step(1, item.isTraining);
  }

  isRead(item) {
    const shown = (performance.now() - this.times.get(item.id).shown) / 1000;
    if (item.isComplete || shown >= item.dwell) return true;
    this.say('Read it first.');
    this.itemNodes.get(item.id).querySelector('.hint').textContent = 'Read it first.';
    return false;
  }

  step(by, staysHere = false) {
    const at = this.task().position + by;
    if (this.leaving || at < 0) return;
    const tasks = [...this.items.values()].filter((one) => !one.isContext);
    const next = tasks[tasks.indexOf(this.task()) + by];
    if (next && !staysHere) {
      this.open = next.id;
      this.times.get(next.id).shown = performance.now();
      const place = this.places().filter((one) => one.item === next.id).at(-1);
      if (place) this.go(place, 0);
      else this.itemNodes.get(next.id).querySelector('[tabindex="0"], button')?.focus();
      this.draw();
      return;
    }
    const to = staysHere ? this.data.here : by > 0 ? this.data.next : this.data.previous;
    this.leaving = { to, again: newId() };
    this.leave();
  }

  prefer(item, value) {
    if (item.isFrozen || this.data.isFrozen || this.leaving || !this.isRead(item)) return;
    item.preference = value;
    item.isComplete = true;
    this.keep(item);
    this.step(1, item.isTraining);
  }

  press(event) {
    if (this.leaving) { event.preventDefault(); event.stopPropagation(); return; }  // nothing of it was seen yet
    super.press(event);
  }

  pressPage(event) {
    const key = event.key.toLowerCase(), item = this.task();
    const choice = item ? this.choices(item)[Number(key) - 1] : null;
    if (key === 'n') this.done();
    else if (key === 'p') this.step(-1);
    else if (choice && !this.leaving) this.prefer(item, choice.value);
    else return;
    event.preventDefault();
  }

  change(item, make) { return this.leaving ? false : super.change(item, make); }

  choices(item) { return item.choices ?? []; }

  // -- pictures ----------------------------------------------------------------------------------------------------

  shapeOf(item) { return [item.isContext, item.choices, item.questions, item.heading]; }

  drawItem(item) {
    const node = super.drawItem(item);
    node.classList.toggle('context', Boolean(item.isContext && !item.isRead));
    node.classList.toggle('whole', Boolean(item.isContext));
    node.classList.toggle('pair', this.choices(item).length > 0);
    if (item.heading) node.prepend(make('p', { class: 'heading' }, item.heading));
    if (item.isContext) { node.setAttribute('role', 'note'); return node; }
    node.addEventListener('focusin', () => { this.open = item.id; });
    const form = make('div', { class: 'form' });
    const updates = [];
    for (const [scale, question] of Object.entries(item.questions)) updates.push(this.slider(form, item.id, scale, question));
    const choices = this.choices(item).map((one, place) => make('button', {
      type: 'button', onclick: () => this.prefer(this.items.get(item.id), one.value),
    }, make('kbd', {}, String(place + 1)), ` ${one.label}`));
    if (choices.length) form.append(make('div', { class: 'keys' }, ...choices));
    updates.push((now) => choices.forEach((one, place) => {
      one.setAttribute('aria-pressed', String(this.choices(now)[place].value === now.preference));
      one.disabled = Boolean(now.isFrozen || this.data.isFrozen);
    }));
    updates.push(this.comment(form, item.id));
    const done = make('button', { type: 'button', class: 'done', onclick: () => { this.open = item.id; this.done(); } });
    const hint = make('span', { class: 'hint' });
    const steps = [[-1, 'Previous', 'P'], [1, 'Skip', '']].map(([by, label, key]) => make('button', {
      type: 'button', onclick: () => { this.open = item.id; this.step(by); },
    }, ...(key ? [make('kbd', {}, key), ` ${label}`] : [label])));
    form.append(make('div', { class: 'keys' }, steps[0], done, steps[1], hint));
    updates.push((now) => {
      steps[0].disabled = now.position === 0;
      steps[1].disabled = now.position === this.data.last;
      hint.textContent = '';
    });
    updates.push((now) => {
      const isLocked = Boolean(now.isFrozen || this.data.isFrozen);
      const label = isLocked ? 'Next' : now.isTraining ? 'Show answer' : this.choices(now).length ? 'Next'
        : now.marks.some((one) => !one.is_rejected) || Object.keys(now.values).length ? 'Done, next' : 'No error, next';
      done.replaceChildren(make('kbd', {}, 'N'), ` ${label}`);
      node.classList.toggle('complete', Boolean(now.isComplete));
      node.classList.toggle('open', now.id === this.task()?.id);
    });
    this.forms.set(item.id, () => updates.forEach((one) => one(this.items.get(item.id))));
    node.append(form);
    return node;
  }

  draw() {
    super.draw();
    for (const [id, update] of this.forms) if (this.items.has(id)) update();
  }

  slider(form, id, scale, question) {
    const thumb = make('div', { class: 'thumb' }), said = make('span', { class: 'number', 'aria-hidden': 'true' });
    const rail = make('div', { class: 'rail', role: 'slider', tabindex: '0', 'aria-valuemin': '0', 'aria-valuemax': '100',
      'aria-label': question, 'data-scale': scale }, make('div', { class: 'line' }), thumb);
    const now = () => this.items.get(id);
    const isLocked = () => Boolean(now().isFrozen || this.data.isFrozen || this.leaving);
    const move = (value, isKept) => {
      now().values[scale] = Math.max(0, Math.min(100, Math.round(value)));
      if (isKept) this.keep(now());
      else paint(now());
    };
    const paint = (item) => {
      const value = item.values[scale];
      rail.classList.toggle('unset', value === null);
      thumb.style.left = `${value ?? 0}%`;
      said.textContent = value === null ? 'no score yet' : String(value);
      rail.setAttribute('aria-valuetext', said.textContent);
      rail.setAttribute('aria-disabled', String(isLocked()));
      if (value === null) rail.removeAttribute('aria-valuenow'); else rail.setAttribute('aria-valuenow', String(value));
    };
    const follow = (event) => {
      const { left, width } = rail.getBoundingClientRect();
      move((100 * (event.clientX - left)) / width, false);
    };
    let isDragging = false;
    rail.onpointerdown = (event) => {
      if (isLocked()) return;
      rail.setPointerCapture(event.pointerId);
      isDragging = true;
      follow(event);
    };
    rail.onpointermove = (event) => { if (isDragging) follow(event); };
    rail.onpointerup = () => { if (isDragging) { isDragging = false; this.keep(now()); } };
    rail.onkeydown = (event) => {
      if (isLocked() || event.ctrlKey || event.altKey || event.metaKey) return;
      const from = now().values[scale] ?? 50;
      const steps = { ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1,
        PageUp: from + 10, PageDown: from - 10, Home: 0, End: 100, ' ': from, Enter: from };
      if (!(event.key in steps)) return;
      event.preventDefault();
      event.stopPropagation();
      move(steps[event.key], true);
    };
    form.append(make('span', { class: 'question' }, question), make('div', { class: 'score' }, rail, said));
    return paint;
  }

  comment(form, id) {
    const area = make('textarea', { rows: '2', 'aria-label': 'Comment', maxlength: String(this.data.longest) });
    const keep = () => {
      clearTimeout(area.mtTimer);
      const now = this.items.get(id);
      if (now && area.value !== now.comment) { now.comment = area.value; this.keep(now); }
    };
    area.oninput = () => { clearTimeout(area.mtTimer); area.mtTimer = setTimeout(keep, PAUSE); };
    area.onblur = keep;
    area.onkeydown = (event) => event.stopPropagation();  // what is written is no key of the page
    form.append(make('label', { class: 'comment' }, make('span', { class: 'question' }, 'Comment'), area));
    return (now) => {
      area.disabled = Boolean(now.isFrozen || this.data.isFrozen);
      if (area.getRootNode().activeElement !== area) area.value = now.comment ?? '';
    };
  }
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.marker');
  const end = mount(TaskMarker, parentElement, data, null);
  const marker = root.mtMarker;
  marker.goTo = (step) => setStateValue('step', step);
  const act = () => { marker.tick(); marker.active = performance.now(); };
  const timer = setInterval(() => marker.tick(), 500);
  const press = (event) => {
    if (!isTyped(event) && !event.ctrlKey && !event.altKey && !event.metaKey && !event.defaultPrevented) marker.pressPage(event);
  };
  document.addEventListener('keydown', act, true);
  document.addEventListener('pointerdown', act, true);
  document.addEventListener('keydown', press);
  marker.send();
  return () => {
    end();
    clearInterval(timer);
    document.removeEventListener('keydown', act, true);
    document.removeEventListener('pointerdown', act, true);
    document.removeEventListener('keydown', press);
  };
}
