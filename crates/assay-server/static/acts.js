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
      for (const name of ['_form', 'path', 'text']) {
        const own = form.elements[name];
        if (own && own.value) data.set(name, own.value);
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
