import { createTestServer } from '../../http/support/test-server.js';

/** Paths that answer a GET without a token: what a probe may ask. */
export async function openPaths(): Promise<ReadonlySet<string>> {
  const { server } = await createTestServer();
  const routes = server.table().filter(({ method, settings }) => method === 'get' && settings.app?.open);
  return new Set(routes.map(({ path }) => path));
}

/** The addresses of this machine that a text asks for: port and path of each. */
export function localAddresses(text: string): { port: string; path: string }[] {
  const found = text.matchAll(/http:\/\/127\.0\.0\.1:(?:(\d+)|' \+ [\w.]+ \+ ')(\/[\w/]*)/g);
  return [...found].map(([, port = '', path = '']) => ({ port, path }));
}
