// What an annotator says about the items on the screen. Answers go to a route of the server, one at a time for each
// item; a window is known by its number, so that an older one never overwrites what it has not seen.
const REST = 30_000;  // milliseconds without a key or click that count as a pause
const RETRY = [500, 1000, 2000, 5000, 15_000];  // milliseconds before an answer is sent again, at each failure
const PAUSE = 700;  // milliseconds before a comment is saved while somebody types
const TICK = 500;  // milliseconds between two updates of the time spent on an item
const MOST_KEPT_ALIVE = 60_000;  // bytes of a request that browsers finish after the page is left
const REFUSED = [400, 403, 404, 405];  // status of answers that would be refused again
const OUTDATED = 409;  // another window has answered since

const hasModifier = (event) => event.ctrlKey || event.altKey || event.metaKey;
const inTenths = (seconds) => Math.round(seconds * 10) / 10;

class TaskMarker extends Marker {
  constructor(root) {
    super(root);
    this.flying = new Set();  // items whose answer is under way
    this.revisions = {};  // by item: the newest revision that the server has told
    this.tries = {};  // by item: how often sending has failed in a row
    this.forms = new Map();  // by item: draws the values of its form
    this.times = new Map();  // by item: seconds of work and of pauses, and when it was shown
    this.active = performance.now();  // time of the last key or click
    this.ticked = this.active;  // time up to which work is counted
    this.error = make('p', { class: 'error', role: 'alert' });
    this.conflict = make('div', { class: 'conflict', role: 'alert' });
    this.rest = make('button', { type: 'button', class: 'rest', onclick: () => this.goOn(true) });
    root.prepend(this.conflict, this.error);
    this.said.before(this.rest);
  }

  take(data) {
    const isNext = this.data && this.data.screen !== data.screen;
    const tasks = data.items.filter((item) => !item.isContext);
    this.body.classList.toggle('beside', Boolean(data.isBeside));
    this.body.style.setProperty('--n', tasks.length);
    for (const item of tasks) {
      this.revisions[item.id] = Math.max(item.revision, this.revisions[item.id] ?? 0);
      if (!this.times.has(item.id)) this.times.set(item.id, { seconds: item.seconds, paused: item.paused, shown: 0 });
    }
    if (isNext || !this.data) {
      for (const item of data.items) {
        if (this.times.has(item.id)) this.times.get(item.id).shown = performance.now();
      }
      this.leaving = null;
      this.open = null;
      this.error.textContent = '';
    }
    super.take(data);
    if (isNext || !this.hasBegun) {
      this.hasBegun = true;
      const firstOpen = this.tasks().find((item) => !item.isComplete) ?? this.task();
      this.goToItem(firstOpen?.id, { preventScroll: true });
      if (!this.rest.hidden) this.rest.scrollIntoView({ block: 'nearest' });
    }
  }

  // The items to be answered; the others are shown as context.
  tasks() { return [...this.items.values()].filter((item) => !item.isContext); }

  // The item that is worked on.
  task() {
    const tasks = this.tasks();
    const id = this.open ?? this.at?.item;
    return tasks.find((item) => item.id === id) ?? tasks[0];
  }

  // Move to the last text of an item that can be marked, else to its first slider or button.
  goToItem(id, focusOptions) {
    const place = this.places().filter((candidate) => candidate.item === id).at(-1);
    if (place) this.go(place, 0);
    else this.itemNodes.get(id)?.querySelector('[tabindex="0"], button')?.focus(focusOptions);
  }

  // Whether an item, or the whole campaign, can only be read.
  isLocked(item) { return Boolean(item.isFrozen || this.data.isFrozen); }

  // Count the time since the last tick as work on the item, or as a pause.
  tick() {
    const now = performance.now();
    const time = this.times.get(this.task()?.id);
    const isPaused = document.hidden || now - this.active > REST;
    const kind = isPaused ? 'paused' : 'seconds';
    if (time) time[kind] += (now - this.ticked) / 1000;
    this.ticked = now;
  }

  // -- what is sent ------------------------------------------------------------------------------------------------

  written(item) {
    this.tick();
    const { marks } = super.written(item);
    const { seconds, paused } = this.times.get(item.id);
    // The form as the user filled it, for this window; the answer as the server takes it
    const form = {
      values: { ...item.values },
      comment: item.comment,
      preference: item.preference,
      isComplete: item.isComplete,
    };
    const answer = {
      window: this.page,
      number: this.count,
      base: 0,
      marks,
      comment: item.comment,
      is_complete: item.isComplete,
      seconds: inTenths(seconds),
      paused: inTenths(paused),
    };
    for (const [scale, value] of Object.entries(item.values)) {
      if (value !== null) answer[scale] = value;
    }
    if (item.preference) answer.preference = item.preference;
    return { marks: item.marks, form, answer };
  }

  send() {
    for (const id of Object.keys(this.queue)) this.post(id);
  }

  async post(id) {
    const entry = this.queue[id];
    if (!entry || this.flying.has(id)) return;
    this.flying.add(id);
    // An entry of an earlier window, read back after a reload, keeps the revision that this window had seen
    if (entry.answer.window === this.page) entry.answer.base = this.revisions[id] ?? entry.answer.base;
    this.store(id);
    const { status, reply } = await this.request(id, entry.answer);
    this.flying.delete(id);
    if (status === 200) {
      this.tries[id] = 0;
      this.error.textContent = '';
      this.revisions[id] = Math.max(reply.revision, this.revisions[id] ?? 0);
      const isNewest = this.queue[id] === entry;
      if (isNewest) this.acknowledge(id, entry.seq);
      else this.post(id);
      this.leave();
    } else if (status === OUTDATED) {
      this.acknowledge(id, this.queue[id].seq);
      this.tellConflict(id, reply.error);
      this.leaving = null;
      this.refresh();
    } else if (REFUSED.includes(status)) {
      this.error.textContent = reply.error ?? 'Not saved.';
      this.leaving = null;
    } else {
      this.tries[id] = (this.tries[id] ?? 0) + 1;
      this.error.textContent = 'The server does not answer. Your answers are kept here and sent again.';
      const wait = RETRY[Math.min(this.tries[id], RETRY.length) - 1];
      setTimeout(() => this.post(id), wait);
    }
  }

  // Send an answer. Return the status and what the server replied; status 0 if it did not reply with JSON.
  async request(id, answer) {
    const { token, url } = this.data;
    try {
      const body = JSON.stringify({ token, task: Number(id), answer });
      const response = await fetch(new URL(url, location.href), {
        method: 'POST',
        body,
        keepalive: body.length < MOST_KEPT_ALIVE,
        headers: { 'content-type': 'application/json' },
      });
      return { status: response.status, reply: await response.json() };
    } catch {
      return { status: 0, reply: {} };
    }
  }

  // Say that another window was first. It stays, whatever is drawn anew, until somebody has read it.
  tellConflict(id, error) {
    const place = this.items.get(id)?.position;
    const where = place === undefined ? '' : `Item ${place + 1}: `;
    const close = make('button', { type: 'button', onclick: () => this.conflict.replaceChildren() }, 'OK');
    this.conflict.replaceChildren(make('span', {}, `${where}${error} `), close);
  }

  refresh() { this.goTo({ to: this.data.here, again: newId() }); }

  // -- steps -------------------------------------------------------------------------------------------------------

  // Leave the screen once the server has acknowledged all answers.
  leave() {
    const isWaiting = Object.keys(this.queue).length > 0;
    if (!this.leaving || isWaiting) return;
    this.goTo({ to: this.leaving.to, again: this.leaving.again });
  }

  // Whether an item waits for an answer.
  isOpen(item) { return !item.isComplete && !this.isLocked(item); }

  // The first scale of an item without a score.
  unscored(item) { return Object.keys(item.values).find((scale) => item.values[scale] === null); }

  // Close an item, and others on the screen that have all their scores, and go on. Nothing closes that was not on the
  // screen long enough to be read.
  done() {
    const item = this.task();
    if (!item || this.leaving) return;
    if (this.isLocked(item)) {
      this.goOn(true);
      return;
    }
    const unscored = this.unscored(item);
    if (unscored !== undefined) {
      this.hint(item, 'Give a score first.');
      this.itemNodes.get(item.id)?.querySelector(`[data-scale=${unscored}]`)?.focus();
      return;
    }
    const needsChoice = this.choices(item).length > 0;
    if (needsChoice && !item.preference) {
      this.hint(item, 'Choose an answer first.');
      return;
    }
    const wasComplete = item.isComplete;
    if (!wasComplete && !this.isRead(item)) return;
    for (const scored of [item, ...this.othersWithScores(item)]) {
      scored.isComplete = true;
      this.keep(scored);
    }
    if (item.isTraining) this.leaveFor(this.data.here);
    else this.goOn(wasComplete);
  }

  // Open items beside one that have all their scores.
  othersWithScores(item) {
    return this.tasks().filter((other) => other !== item && this.isOpen(other)
      && Object.keys(other.values).length > 0 && this.unscored(other) === undefined);
  }

  // Return whether an item was on the screen long enough to be read, and say so if it was not.
  isRead(item) {
    const seconds = (performance.now() - this.times.get(item.id).shown) / 1000;
    if (seconds >= item.dwell) return true;
    this.hint(item, 'Read it first.');
    return false;
  }

  // Say beside the buttons of an item what is missing.
  hint(item, text) {
    this.say(text);
    this.itemNodes.get(item.id).querySelector('.hint').textContent = text;
  }

  // Go to the next open item: on this screen, also before this one, else on a later one. After the last one the screen
  // stays and says what is left; the next key goes there.
  goOn(goesToFirst) {
    const next = this.openAfter() ?? this.openBefore();
    if (next) this.workOn(next);
    else this.leaveFor(this.data.next ?? (goesToFirst ? this.data.first : null) ?? this.data.here);
  }

  // Leave an item open, and go to the next open one.
  skip() {
    if (this.leaving) return;
    const next = this.openAfter();
    if (next) this.workOn(next);
    else if (this.hasOpenElsewhere()) this.leaveFor(this.data.next ?? this.data.first);
  }

  // Go to the previous item, answered or not.
  back() {
    if (this.leaving) return;
    const tasks = this.tasks();
    const previous = tasks[tasks.indexOf(this.task()) - 1];
    if (previous) this.workOn(previous);
    else if (this.data.previous >= 0) this.leaveFor(this.data.previous);
  }

  // The next item on the screen that is open; in a closed campaign, the next one.
  openAfter() {
    const tasks = this.tasks();
    const after = tasks.slice(tasks.indexOf(this.task()) + 1);
    return this.data.isFrozen ? after[0] : after.find((item) => this.isOpen(item));
  }

  openBefore() {
    const tasks = this.tasks();
    return tasks.slice(0, tasks.indexOf(this.task())).find((item) => this.isOpen(item));
  }

  hasOpenElsewhere() { return this.data.next !== null || this.data.first !== null; }

  // Work on another item of the screen.
  workOn(item) {
    this.open = item.id;
    this.times.get(item.id).shown = performance.now();
    this.goToItem(item.id);
    this.draw();
  }

  // Ask for another screen, or for this one again.
  leaveFor(position) {
    this.leaving = { to: position, again: newId() };
    this.leave();
  }

  prefer(item, value) {
    if (this.isLocked(item) || this.leaving || !this.isRead(item)) return;
    const wasComplete = item.isComplete;
    item.preference = value;
    item.isComplete = true;
    this.keep(item);
    if (item.isTraining) this.leaveFor(this.data.here);
    else this.goOn(wasComplete);
  }

  // Keys on the words of a text. While the screen is left they do nothing, since they were meant for the next one.
  press(event) {
    if (this.leaving) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    super.press(event);
  }

  // Keys anywhere on the page: N for next, P for previous, a digit for a choice.
  pressPage(event) {
    const key = event.key.toLowerCase();
    const item = this.task();
    const choice = item ? this.choices(item)[Number(key) - 1] : null;
    if (key === 'n') this.done();
    else if (key === 'p') this.back();
    else if (choice && !this.leaving) this.prefer(item, choice.value);
    else return;
    event.preventDefault();
  }

  change(item, make) {
    if (this.leaving) return false;
    return super.change(item, make);
  }

  choices(item) { return item.choices ?? []; }

  // -- pictures ----------------------------------------------------------------------------------------------------

  shapeOf(item) { return [item.isContext, item.choices, item.questions, item.heading]; }

  drawItem(item) {
    const node = super.drawItem(item);
    node.classList.toggle('context', Boolean(item.isContext && !item.isRead));
    node.classList.toggle('whole', Boolean(item.isContext));
    node.classList.toggle('pair', this.choices(item).length > 0);
    if (item.heading) node.prepend(make('p', { class: 'heading' }, item.heading));
    if (item.isContext) {
      node.setAttribute('role', 'note');
      return node;
    }
    node.addEventListener('focusin', () => {
      if (this.open === item.id) return;
      this.open = item.id;
      this.drawForms();  // no other part: a click may be on its way to one of its buttons
    });
    node.append(this.drawForm(item, node));
    return node;
  }

  // Draw sliders, choices, comment and buttons of an item, and remember how their values are drawn.
  drawForm(item, node) {
    const form = make('div', { class: 'form' });
    const updates = [];
    for (const [scale, question] of Object.entries(item.questions)) {
      updates.push(this.slider(form, item.id, scale, question));
    }
    updates.push(this.choiceButtons(form, item));
    updates.push(this.comment(form, item.id));
    updates.push(this.stepButtons(form, item, node));
    this.forms.set(item.id, () => {
      for (const update of updates) update(this.items.get(item.id));
    });
    return form;
  }

  draw() {
    super.draw();
    this.drawForms();
    this.drawRest();
  }

  drawForms() {
    for (const [id, update] of this.forms) {
      if (this.items.has(id)) update();
    }
  }

  // After the last screen: how many items are left, and the way to the first of them.
  drawRest() {
    const isAtEnd = this.data.next === null && !this.tasks().some((item) => this.isOpen(item));
    const isShown = isAtEnd && this.data.first !== null && !this.data.isFrozen;
    this.rest.hidden = !isShown;
    this.rest.textContent = isShown ? `${this.data.left} left: go to the first` : '';
  }

  // Each of the following adds a part to a form, and returns a function that draws the values of an item in it.

  choiceButtons(form, item) {
    const buttons = this.choices(item).map((choice, place) => make(
      'button',
      { type: 'button', onclick: () => this.prefer(this.items.get(item.id), choice.value) },
      make('kbd', {}, String(place + 1)),
      ` ${choice.label}`,
    ));
    if (buttons.length) form.append(make('div', { class: 'keys' }, ...buttons));
    return (now) => {
      const choices = this.choices(now);
      buttons.forEach((button, place) => {
        button.setAttribute('aria-pressed', String(choices[place].value === now.preference));
        button.disabled = this.isLocked(now);
      });
    };
  }

  stepButtons(form, item, node) {
    const button = (attributes, act, ...label) => {
      const onclick = () => {
        this.open = item.id;
        act();
      };
      return make('button', { type: 'button', ...attributes, onclick }, ...label);
    };
    const previous = button({}, () => this.back(), make('kbd', {}, 'P'), ' Previous');
    const label = make('span', {});
    const done = button({ class: 'done' }, () => this.done(), make('kbd', {}, 'N'), ' ', label);
    const skip = button({}, () => this.skip(), 'Skip');
    const hint = make('span', { class: 'hint' });
    form.append(make('div', { class: 'keys' }, previous, done, skip, hint));
    return (now) => {
      previous.disabled = now.position === 0;
      skip.disabled = !this.openAfter() && !this.hasOpenElsewhere();
      hint.textContent = '';
      label.textContent = this.doneLabel(now);
      node.classList.toggle('complete', Boolean(now.isComplete));
      node.classList.toggle('open', now.id === this.task()?.id);
    };
  }

  doneLabel(item) {
    if (this.isLocked(item)) return 'Next';
    if (item.isTraining) return 'Show answer';
    if (this.choices(item).length) return 'Next';
    const hasMarks = item.marks.some((mark) => !mark.is_rejected);
    const hasScales = Object.keys(item.values).length > 0;
    return hasMarks || hasScales ? 'Done, next' : 'No error, next';
  }

  slider(form, id, scale, question) {
    const thumb = make('div', { class: 'thumb' });
    const number = make('span', { class: 'number', 'aria-hidden': 'true' });
    const rail = make('div', {
      class: 'rail',
      role: 'slider',
      tabindex: '0',
      'aria-valuemin': '0',
      'aria-valuemax': '100',
      'aria-label': question,
      'data-scale': scale,
    }, make('div', { class: 'line' }), thumb);
    const now = () => this.items.get(id);
    const isLocked = () => this.isLocked(now()) || Boolean(this.leaving);

    const paint = (item) => {
      const value = item.values[scale];
      const isUnset = value === null;
      rail.classList.toggle('unset', isUnset);
      thumb.style.left = `${value ?? 0}%`;
      number.textContent = isUnset ? 'no score yet' : String(value);
      rail.setAttribute('aria-valuetext', number.textContent);
      rail.setAttribute('aria-disabled', String(isLocked()));
      if (isUnset) rail.removeAttribute('aria-valuenow');
      else rail.setAttribute('aria-valuenow', String(value));
    };
    const move = (value) => {
      now().values[scale] = Math.max(0, Math.min(100, Math.round(value)));
    };

    // A drag is saved once, when it ends
    let isDragging = false;
    const follow = (event) => {
      const { left, width } = rail.getBoundingClientRect();
      move((100 * (event.clientX - left)) / width);
      paint(now());
    };
    rail.onpointerdown = (event) => {
      if (isLocked()) return;
      rail.setPointerCapture(event.pointerId);
      isDragging = true;
      follow(event);
    };
    rail.onpointermove = (event) => {
      if (isDragging) follow(event);
    };
    rail.onpointerup = () => {
      if (!isDragging) return;
      isDragging = false;
      this.keep(now());
    };

    rail.onkeydown = (event) => {
      if (isLocked() || hasModifier(event)) return;
      const value = now().values[scale] ?? 50;
      const valueAfter = {
        ArrowRight: value + 1,
        ArrowUp: value + 1,
        ArrowLeft: value - 1,
        ArrowDown: value - 1,
        PageUp: value + 10,
        PageDown: value - 10,
        Home: 0,
        End: 100,
        ' ': value,  // accepts the middle
        Enter: value,
      };
      if (!(event.key in valueAfter)) return;
      event.preventDefault();
      event.stopPropagation();
      move(valueAfter[event.key]);
      this.keep(now());
    };
    form.append(make('span', { class: 'question' }, question), make('div', { class: 'score' }, rail, number));
    return paint;
  }

  comment(form, id) {
    const area = make('textarea', { rows: '2', 'aria-label': 'Comment', maxlength: String(this.data.longest) });
    let timer;
    const keep = () => {
      clearTimeout(timer);
      const item = this.items.get(id);
      if (!item || area.value === item.comment) return;
      item.comment = area.value;
      this.keep(item);
    };
    area.oninput = () => {
      clearTimeout(timer);
      timer = setTimeout(keep, PAUSE);
    };
    area.onblur = keep;
    area.onkeydown = (event) => event.stopPropagation();  // typed keys are no commands
    form.append(make('label', { class: 'comment' }, make('span', { class: 'question' }, 'Comment'), area));
    return (now) => {
      area.disabled = this.isLocked(now);
      const isTyping = area.getRootNode().activeElement === area;
      if (!isTyping) area.value = now.comment ?? '';
    };
  }
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector('.marker');
  const end = mount(TaskMarker, parentElement, data, null);
  const marker = root.mtMarker;
  marker.goTo = (step) => setStateValue('step', step);
  const noteActivity = () => {
    marker.tick();
    marker.active = performance.now();
  };
  const press = (event) => {
    if (!isTyped(event) && !hasModifier(event) && !event.defaultPrevented) marker.pressPage(event);
  };
  const timer = setInterval(() => marker.tick(), TICK);
  document.addEventListener('keydown', noteActivity, true);
  document.addEventListener('pointerdown', noteActivity, true);
  document.addEventListener('keydown', press);
  marker.send();
  return () => {
    end();
    clearInterval(timer);
    document.removeEventListener('keydown', noteActivity, true);
    document.removeEventListener('pointerdown', noteActivity, true);
    document.removeEventListener('keydown', press);
  };
}
