/**
 * Reads a list page by page.
 * @param size entries of a page: one that has fewer is the last
 * @param read reads the page after an entry, or the first one
 */
export async function* pages<T>(
  size: number,
  read: (after: T | undefined) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[]> {
  let last: T | undefined;
  do {
    const page = await read(last);
    yield page;
    last = page.length < size ? undefined : page.at(-1);
  } while (last !== undefined);
}
