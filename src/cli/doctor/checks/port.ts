import { createServer } from 'node:net';
import { type Finding, fine, type GeneralCheck, skipped, wrong } from '../check.js';
import type { Settings } from '../room.js';

/** Could a daemon listen where the settings say? In question only while none answers. */
export const port: GeneralCheck = {
  id: 'port',
  needs: ['settings'],
  async look(room) {
    const { host, port } = await room.settings();
    if (await room.isDaemonUp()) return skipped('the daemon listens already');
    if (port === 0) return fine('any free one');
    const facts = { host, port };
    const code = await listenFailure(host, port);
    if (code === undefined) return fine(`${host}:${port} is free`, facts);
    return explain(code, { host, port }, facts);
  },
};

function explain(
  code: string,
  { host, port }: Pick<Settings, 'host' | 'port'>,
  facts: Finding['facts'],
): Finding {
  if (code === 'EADDRINUSE') {
    const advice = `stop what uses it (lsof -i :${port}), or choose another: --port or SWITCHBOARD_PORT`;
    return wrong('port-taken', `something else listens on ${host}:${port}`, advice, facts);
  }
  if (code === 'EACCES') {
    const advice = 'choose one above 1023: --port or SWITCHBOARD_PORT';
    return wrong('port-forbidden', `port ${port} needs more rights than this user has`, advice, facts);
  }
  const advice = 'choose an address of this machine: --host or SWITCHBOARD_HOST; 0.0.0.0 means all';
  return wrong('port-no-such-address', `${host} cannot be listened on (${code})`, advice, facts);
}

/** Listens for a moment. @returns the system's code when that fails */
function listenFailure(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
