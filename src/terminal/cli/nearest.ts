/** Most suggestions. */
const SUGGESTED = 3;

/** The names, of one or more words, that are spelled most like the first typed words, best first; at most three. */
export function nearestTo(names: readonly (readonly string[])[], words: readonly string[]): string[] {
  const ranked = names
    .filter((name) => name.length <= words.length)
    .map((name) => ({ name: name.join(' '), typed: words.slice(0, name.length).join(' ').toLowerCase() }))
    .map(({ name, typed }) => ({ name, distance: editDistance(typed, name) }))
    .filter(({ name, distance }) => distance <= tolerance(name))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0]?.distance ?? 0;
  return ranked
    .filter(({ distance }) => distance <= best + 1)
    .slice(0, SUGGESTED)
    .map(({ name }) => name);
}

function tolerance(name: string): number {
  return Math.max(1, Math.floor(name.length / 3));
}

/** The names that are spelled most like a word, best first; at most three. */
export function nearestNames(names: readonly string[], word: string): string[] {
  return nearestTo(
    names.map((name) => [name]),
    [word],
  );
}

/** Number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
