// What a file would do, while it is typed: the server validates it, by the same rules as when it is sent.
(() => {
  for (const field of document.querySelectorAll('[data-look]')) {
    const form = field.form;
    const place = form && form.querySelector('[data-findings]');
    if (!place) continue;
    let timer = 0;
    let asked = 0;
    async function look() {
      const mine = ++asked;
      const data = new URLSearchParams();
      const shown = new FormData(form);
      for (const name of ['_form', 'path', 'text']) {
        for (const value of shown.getAll(name)) if (value) data.append(name, value);
      }
      if (!data.has('text')) {
        place.replaceChildren();
        return;
      }
      data.set('do', 'look');
      try {
        const answer = await fetch(field.dataset.look, { method: 'POST', body: data, credentials: 'same-origin' });
        if (!answer.ok || mine !== asked) return;
        const shown = new DOMParser().parseFromString(await answer.text(), 'text/html');
        place.replaceChildren(...shown.body.childNodes);
        for (const verdict of document.querySelectorAll('[data-verdict]')) verdict.remove();
      } catch {
        // The button still works.
      }
    }
    field.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(look, 400);
    });
  }
})();

// Files and folders that are dropped on a card: they are sent with its form, as if they had been chosen.
(() => {
  for (const form of document.querySelectorAll('[data-drop]')) {
    for (const hint of form.querySelectorAll('.drop-hint')) hint.hidden = false;
    form.addEventListener('dragover', (event) => {
      event.preventDefault();
      form.classList.add('dropping');
    });
    form.addEventListener('dragleave', () => form.classList.remove('dropping'));
    form.addEventListener('drop', async (event) => {
      event.preventDefault();
      form.classList.remove('dropping');
      const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
      if (!entries.some((entry) => entry.isDirectory)) {
        form.querySelector('[type=file][multiple]').files = event.dataTransfer.files;
        form.requestSubmit();
        return;
      }
      // A field takes files and no folders, so the paths are sent by hand.
      const data = new FormData(form);
      data.delete('files');
      for (const [path, file] of await listed(entries)) data.append('files', file, path);
      const answer = await fetch(form.action, { method: 'POST', body: data, credentials: 'same-origin' });
      const shown = new DOMParser().parseFromString(await answer.text(), 'text/html');
      document.title = shown.title;
      document.querySelector('main').replaceWith(shown.querySelector('main'));
      document.querySelector('main h1')?.scrollIntoView();
    });
  }
  async function listed(entries) {
    const files = [];
    for (const entry of entries) {
      if (entry.isFile) {
        const file = await new Promise((done, fail) => entry.file(done, fail));
        files.push([entry.fullPath.replace(/^\//, ''), file]);
      } else {
        const reader = entry.createReader();
        for (;;) {
          const some = await new Promise((done, fail) => reader.readEntries(done, fail));
          if (some.length === 0) break;
          files.push(...(await listed(some)));
        }
      }
    }
    return files;
  }
})();

// The search completes: the first hits for what is typed are offered, and a chosen one is opened.
(() => {
  const field = document.getElementById('q');
  if (!field) return;
  const list = document.createElement('datalist');
  list.id = 'q-hits';
  field.after(list);
  field.setAttribute('list', list.id);
  const places = new Map();
  let timer = 0;
  let asked = '';
  async function complete() {
    const text = field.value.trim();
    if (text.length < 2 || text === asked) return;
    asked = text;
    try {
      const answer = await fetch(`/search?q=${encodeURIComponent(text)}`, { credentials: 'same-origin' });
      if (!answer.ok || text !== asked) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      places.clear();
      for (const link of [...page.querySelectorAll('main ul.plain.card a[href]')].slice(0, 8)) {
        places.set(link.textContent.trim(), link.getAttribute('href'));
      }
      list.replaceChildren(...[...places.keys()].map((name) => new Option(name, name)));
    } catch {
      // The search itself still works.
    }
  }
  field.addEventListener('input', (event) => {
    // A hit that was chosen from the list arrives at once, and not key by key.
    const place = places.get(field.value);
    if (place && event.inputType !== 'insertText' && event.inputType !== 'deleteContentBackward') {
      location.assign(place);
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(complete, 200);
  });
})();

// Models that are selected on a board stay selected on its other pages: the selection is in the address.
(() => {
  const table = document.getElementById('board');
  const boxes = table ? [...table.querySelectorAll('input[name="models"]')] : [];
  const form = boxes[0]?.form;
  if (!form) return;
  const address = new URL(location.href);
  const selected = new Set(address.searchParams.getAll('models'));
  for (const box of boxes) box.checked ||= selected.has(box.value);
  const button = form.querySelector('button[type="submit"]');
  const label = button?.textContent;
  function show() {
    const put = (url) => {
      url.searchParams.delete('models');
      for (const model of selected) url.searchParams.append('models', model);
      return url;
    };
    history.replaceState(history.state, '', put(new URL(location.href)));
    for (const link of document.querySelectorAll('.pages a[href]')) link.href = put(new URL(link.href));
    if (button) button.textContent = selected.size > 0 ? `${label} (${selected.size})` : label;
    for (const own of form.querySelectorAll('input[data-elsewhere]')) own.remove();
    for (const model of selected) {
      if (boxes.some((box) => box.value === model)) continue;
      const input = document.createElement('input');
      Object.assign(input, { type: 'hidden', name: 'models', value: model });
      input.dataset.elsewhere = '';
      form.append(input);
    }
  }
  for (const box of boxes) {
    if (box.checked) selected.add(box.value);
    box.addEventListener('change', () => {
      if (box.checked) selected.add(box.value);
      else selected.delete(box.value);
      show();
    });
  }
  if (selected.size > 0) show();
})();
