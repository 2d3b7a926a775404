// Verifies the proof of a result here, by the verifier of `assay verify` as WebAssembly. The hub is not asked for the verdict.
(() => {
  const box = document.querySelector('[data-verify]');
  if (!box || typeof WebAssembly !== 'object') return;
  const form = box.querySelector('form');
  const place = box.querySelector('[role=status]');
  const WORDS = {
    verified: 'Verified by the trust note you gave.',
    consistent: 'The proof holds by the log keys that it names itself. You gave no trust note, so nothing says that these are the keys of a hub you trust.',
    unverified: 'Not verified.',
    revoked: 'Revoked.',
    broken: 'The proof does not hold.',
  };
  let program;

  async function load() {
    const answer = await fetch(box.dataset.program);
    const module = await WebAssembly.instantiate(await answer.arrayBuffer());
    return module.instance.exports;
  }

  function verdict(wasm, proof, note) {
    const address = wasm.room_for(proof.length + note.length);
    const room = new Uint8Array(wasm.memory.buffer, address, proof.length + note.length);
    room.set(proof);
    room.set(note, proof.length);
    const length = wasm.verify(proof.length);
    const answer = new Uint8Array(wasm.memory.buffer, wasm.answer(), length);
    return JSON.parse(new TextDecoder().decode(answer.slice()));
  }

  async function chosen(name) {
    const file = form.elements[name].files[0];
    return file ? new Uint8Array(await file.arrayBuffer()) : null;
  }

  async function proofHere() {
    const answer = await fetch(box.dataset.verify, { credentials: 'same-origin' });
    if (!answer.ok) throw new Error(`the proof cannot be read: ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  function show(said) {
    const lines = [[WORDS[said.state] || said.state, 'strong']];
    if (said.detail) lines.push([said.detail, 'span']);
    if (said.model) lines.push([`${said.model} on ${said.task}, commit ${said.commit}, ${said.path}`, 'span']);
    if (said.control) lines.push([`As of log size ${said.results} (results), ${said.control} (control) of ${said.hub}.`, 'span']);
    place.replaceChildren(
      ...lines.map(([text, tag]) => {
        const line = document.createElement('p');
        const words = document.createElement(tag);
        words.textContent = text;
        line.append(words);
        return line;
      }),
    );
    place.dataset.state = said.state;
    place.className = `notice ${said.state === 'verified' ? 'good' : said.state === 'consistent' ? 'warn' : 'bad'}`;
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      program ||= load();
      const wasm = await program;
      const note = (await chosen('note')) || new Uint8Array();
      show(verdict(wasm, (await chosen('proof')) || (await proofHere()), note));
    } catch (error) {
      program = undefined;
      show({ state: 'failed', detail: `The verifier could not run: ${error.message}` });
    }
  });
  box.hidden = false;
})();
