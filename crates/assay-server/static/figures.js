// A chart as a file: SVG with its styles written into it, and PNG at twice its size.
(() => {
  const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline'];
  const TIMES = 2;
  const MARGIN = 6;

  // The drawing by itself: what the style sheet says of each part stands in the part.
  function standing(svg) {
    const copy = svg.cloneNode(true);
    const parts = copy.querySelectorAll('*');
    svg.querySelectorAll('*').forEach((part, at) => {
      const style = getComputedStyle(part);
      for (const name of STYLES) parts[at].setAttribute(name, style.getPropertyValue(name));
    });
    // Labels may stick out of the drawing, which a page shows and a file would cut.
    const drawn = svg.getBBox();
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    const place = [drawn.x - MARGIN, drawn.y - MARGIN, drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN];
    const box = { width: place[2] * scale, height: place[3] * scale };
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('viewBox', place.join(' '));
    copy.setAttribute('width', box.width);
    copy.setAttribute('height', box.height);
    const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    ['x', 'y', 'width', 'height'].forEach((name, at) => paper.setAttribute(name, place[at]));
    paper.setAttribute('fill', getComputedStyle(svg.closest('figure')).backgroundColor);
    copy.prepend(paper);
    return { text: new XMLSerializer().serializeToString(copy), box };
  }

  function save(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async function toPng({ text, box }) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = box.width * TIMES;
    canvas.height = box.height * TIMES;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, 'image/png'));
  }

  for (const figure of document.querySelectorAll('figure.figure')) {
    const svg = figure.querySelector('svg');
    if (!svg) continue;
    const line = document.createElement('p');
    line.className = 'small downloads';
    line.append('Figure as ');
    const button = (label, act) => {
      const one = document.createElement('button');
      one.type = 'button';
      one.className = 'quiet link';
      one.textContent = label;
      one.addEventListener('click', act);
      line.append(one, ' ');
    };
    button('SVG', () => save(new Blob([standing(svg).text], { type: 'image/svg+xml' }), `${figure.id}.svg`));
    button('PNG', async () => save(await toPng(standing(svg)), `${figure.id}.png`));
    figure.append(line);
  }
})();
