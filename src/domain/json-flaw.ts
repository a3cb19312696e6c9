/** Levels of nesting in JSON from outside: code that walks a value recursively must not overflow its stack. */
const MAX_LEVELS = 64;
const SHOWN_PATH = 64;

/**
 * Finds flaws in JSON from outside that no schema refuses: a `__proto__` key, which would replace the prototype of a
 * copy; deep nesting; and half of a surrogate pair, which UTF-8 cannot encode, so that the network and the events would
 * get different texts.
 * @param name of the value, for the message
 * @returns the broken rule and its place; undefined if all is well
 */
export function jsonFlaw(value: unknown, name = ''): string | undefined {
  const waiting = [{ value, path: name, level: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, level } = next;
    if (typeof next.value === 'string' && !next.value.isWellFormed()) return loneSurrogate(path);
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (level === MAX_LEVELS)
      return `${path.split('.', 1)} must not be nested in more than ${MAX_LEVELS} levels`;
    if (Object.hasOwn(next.value, '__proto__')) return `${path && `${path}.`}__proto__ is not allowed`;
    for (const [key, item] of Object.entries(next.value)) {
      const at = path ? `${path}.${key}` : key;
      if (!key.isWellFormed()) return loneSurrogate(at);
      waiting.push({ value: item, path: at.slice(0, SHOWN_PATH), level: level + 1 });
    }
  }
  return undefined;
}

function loneSurrogate(path: string): string {
  return `${path.toWellFormed() || 'the value'} must not contain half of a surrogate pair`;
}
