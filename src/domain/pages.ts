/** A place in a list that is ordered by time and id, as the `next` of a page names it. */
export const PLACE = /^([0-9]{1,15})-([A-Za-z0-9]{1,64})$/;

/** @param at milliseconds since the epoch */
export function placeText(at: number, id: string): string {
  return `${at}-${id}`;
}

/** @param text fits `PLACE` */
export function placeIn(text: string): { at: number; id: string } {
  const [, at = '', id = ''] = PLACE.exec(text) ?? [];
  return { at: Number(at), id };
}

/**
 * Reads a list page by page.
 * @param size entries of a page; a page with fewer is the last
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
