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
