// Pages are complete without this file. It only makes some of them quicker to use: keys for search and rows, filters that
// act as they are changed, columns that come and go without asking the server.
'use strict';

(() => {
  const isTyping = (target) => target.closest('input:not([type="checkbox"], [type="radio"]), select, textarea, [contenteditable]') !== null;

  // The rows of the board or matrix; on other pages those of the first table that is seen and has links.
  function rows() {
    const tables = [...document.querySelectorAll('#board, #matrix')];
    const others = [...document.querySelectorAll('main table')].filter((table) => !table.closest('details:not([open])'));
    const table = tables[0] || others.find((one) => one.querySelector('tbody a'));
    return table ? [...table.querySelectorAll('tbody tr')].filter((row) => !row.hidden && row.querySelector('a')) : [];
  }

  function moveRow(step) {
    const all = rows();
    if (all.length === 0) return;
    const here = all.indexOf(document.activeElement.closest('tr'));
    const next = all[Math.min(Math.max(here + step, 0), all.length - 1)];
    const link = next.querySelector('th a, td a');
    if (link) link.focus();
    next.scrollIntoView({ block: 'nearest' });
  }

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && isTyping(event.target)) {
      event.target.blur();
      return;
    }
    if (isTyping(event.target)) return;
    if (event.key === '/') {
      const field = document.querySelector('[data-filter]') || document.getElementById('q');
      if (field) {
        field.focus();
        event.preventDefault();
      }
    } else if (event.key === 'j') {
      moveRow(1);
    } else if (event.key === 'k') {
      moveRow(-1);
    } else if (event.key === 'x') {
      const row = document.activeElement.closest('tr');
      const box = row && row.querySelector('input[name="models"]');
      if (box) box.click();
    }
  });

  // A filter acts at once where the page has every row; of a longer table the server looks through all of them.
  for (const field of document.querySelectorAll('[data-filter]')) {
    const table = document.getElementById(field.dataset.filter);
    if (!table || document.querySelector('.pages')) continue;
    field.addEventListener('input', () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
  }

  for (const form of document.querySelectorAll('form[data-live]')) {
    form.addEventListener('change', (event) => {
      if (event.target.matches('select, input[type="checkbox"]:not([data-column])')) form.requestSubmit();
    });
  }

  for (const box of document.querySelectorAll('[data-column]')) {
    box.addEventListener('change', () => {
      const table = document.getElementById('board');
      const head = table && [...table.tHead.rows[0].cells].find((cell) => cell.dataset.key === box.value);
      if (!head) {
        if (box.checked) box.form.requestSubmit();
        return;
      }
      for (const row of [table.tHead.rows[0], ...table.tBodies[0].rows]) row.cells[head.cellIndex].hidden = !box.checked;
    });
  }

  // Of many tabs, the current one is in sight.
  for (const tab of document.querySelectorAll('.tabs [aria-current]')) {
    const tabs = tab.closest('.tabs');
    tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
    tabs.scrollTop = tab.offsetTop - tabs.offsetTop;
  }

  for (const menu of document.querySelectorAll('details.menu')) {
    document.addEventListener('click', (event) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
  }
})();
