import { createServer } from 'node:net';
import { errorMessage } from '../../../../domain/errors.js';
import { exchange } from '../../http.js';
import { type Finding, type GeneralCheck, passed, problem, skipped } from '../check.js';
import { isDaemon, type Settings } from '../context.js';

export const node: GeneralCheck = {
  id: 'node',
  needs: [],
  async run({ options: { program } }) {
    const { nodeVersion, nodeRange } = program;
    const facts = { version: nodeVersion, needed: nodeRange };
    if (isAtLeast(nodeVersion, nodeRange)) return passed(`Node ${nodeVersion}`, facts);
    const detail = `Node ${nodeVersion} is too old`;
    return problem('node-too-old', detail, `install Node ${nodeRange} and run the daemon with it`, facts);
  },
};

/** @param range `>=20.19`, the only form that the manifest uses */
function isAtLeast(version: string, range: string): boolean {
  const [oldest, actual] = [numbersIn(range), numbersIn(version)];
  const at = oldest.findIndex((number, index) => number !== (actual[index] ?? 0));
  return at < 0 || (actual[at] ?? 0) > (oldest[at] ?? 0);
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** Reads environment and settings file; creates no secrets. */
export const settings: GeneralCheck = {
  id: 'settings',
  needs: [],
  async run(context) {
    if (!context.isLocal) return skipped('the daemon is on another machine');
    try {
      await context.settings();
      return passed('environment and settings file are valid');
    } catch (error) {
      const detail = errorMessage(error);
      return problem('settings-invalid', detail, 'correct the setting: the next start fails with it');
    }
  },
};

/** Only while no daemon answers. Without a port in the settings, it is the one of the URL that commands use. */
export const port: GeneralCheck = {
  id: 'port',
  needs: ['settings'],
  async run(context) {
    const { host, port: set } = await context.settings();
    const port = set === DEFAULT_PORT ? portOf(context.options.client.url) : set;
    if (await context.isDaemonUp()) return skipped('the daemon listens on it');
    if (port === 0) return passed('any free port');
    const facts = { host, port };
    const code = await listenFailure(host, port);
    if (code === undefined) return passed(`${host}:${port} is free`, facts);
    return explain(code, { host, port }, facts);
  },
};

/** Of `SWITCHBOARD_PORT`, and of the URL that commands use. */
const DEFAULT_PORT = 3000;

/** A proxy stands before a daemon that is reached by https. */
function portOf(url: string): number {
  const { protocol, port } = new URL(url);
  return protocol === 'https:' ? DEFAULT_PORT : Number(port || '80');
}

function explain(
  code: string,
  { host, port }: Pick<Settings, 'host' | 'port'>,
  facts: Finding['facts'],
): Finding {
  if (code === 'EADDRINUSE') {
    const advice = `stop the program that uses it (lsof -i :${port}), or choose another port: --port or SWITCHBOARD_PORT`;
    return problem('port-taken', `another program listens on ${host}:${port}`, advice, facts);
  }
  if (code === 'EACCES') {
    const advice = 'choose a port above 1023: --port or SWITCHBOARD_PORT';
    return problem('port-forbidden', `this user may not listen on port ${port}`, advice, facts);
  }
  const advice = 'choose an address of this machine: --host or SWITCHBOARD_HOST; 0.0.0.0 means all addresses';
  return problem('port-no-such-address', `cannot listen on ${host} (${code})`, advice, facts);
}

/** Listens and closes again. @returns the system's error code, or undefined */
function listenFailure(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

const ANY_ADDRESS = /^(0\.0\.0\.0|::)$/;
const LOOPBACK_OR_ANY = /^(localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/;

export const publicUrl: GeneralCheck = {
  id: 'public-url',
  needs: ['settings', 'daemon'],
  async run(context) {
    const { publicUrl: url, host } = await context.settings();
    const facts = { url, host };
    if (LOOPBACK_OR_ANY.test(new URL(url).hostname)) {
      if (!ANY_ADDRESS.test(host)) return skipped('the daemon serves only this machine');
      const detail = `the API listens on all addresses, but links to stored files point to ${url}`;
      const advice = 'set the URL at which people reach it: --public-url or SWITCHBOARD_PUBLIC_URL';
      return problem('public-url-loopback', detail, advice, facts);
    }
    return ask(url, facts, context.options.limits.probeMs);
  },
};

async function ask(url: string, facts: Finding['facts'], timeoutMs: number): Promise<Finding> {
  try {
    const answer = await exchange(new URL(`${url}/health/live`), { timeoutMs });
    if (isDaemon(answer)) return passed(`${url} reaches a daemon`, facts);
    const advice = 'let the proxy at that URL forward to the daemon, or correct --public-url';
    return problem('public-url-stranger', `the server at ${url} is not a Switchboard daemon`, advice, facts);
  } catch (error) {
    const detail = errorMessage(error);
    const advice =
      'correct --public-url, or check DNS, proxy and certificate; some networks cannot reach their own public address';
    return problem('public-url-unreachable', detail, advice, facts);
  }
}
