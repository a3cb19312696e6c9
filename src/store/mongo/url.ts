const DATABASE = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^/?]+)/;
const DEFAULT_DATABASE = 'switchboard';

/** The name of the database: the path of the URL, or `switchboard` when it has none. */
export function databaseNameOf(url: string): string {
  const [, path] = DATABASE.exec(url) ?? [];
  return path ? decodeURIComponent(path) : DEFAULT_DATABASE;
}

/** The given options without those that the URL's query sets itself: there the URL has the last word. */
export function unlessInUrl<T extends object>(url: string, defaults: T): Partial<T> {
  const [, query = ''] = url.split('?', 2);
  const named = new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
  const kept: Partial<T> = { ...defaults };
  for (const name in defaults) if (named.has(name.toLowerCase())) delete kept[name];
  return kept;
}
