/** Ends a journey when something is not as it should be. */
export function ensure(holds, text) {
  if (!holds) throw new Error(text);
}

/** Ends a journey when a text does not have a part. */
export function ensureHas(text, part, where) {
  ensure(text.includes(part), `${where} should say "${part}", and says: ${text.replaceAll(/\s+/g, ' ').slice(0, 600)}`);
}
