import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CliProcess } from '../support/spawn-cli.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

const PAGE = new URL('../../docs/cli.md', import.meta.url);
const TOKEN = 'a-token-of-at-least-16-characters';
/** A port where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';

interface Case {
  argv: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Text after which the process gets SIGINT. */
  until?: string;
}

/** Command lines of each code of the documented table. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  0: [{ argv: ['sessions', 'list'] }, { argv: ['sessions', 'state', 'acme'] }],
  1: [{ argv: ['groups', 'list', 'acme'] }],
  2: [
    { argv: ['sesions'] },
    { argv: ['send', 'text', 'acme'] },
    { argv: ['sessions', 'list', '--nosuch'] },
    { argv: ['tail', '--type', 'nosuchtype'] },
    { argv: ['start', '--port', 'abc'] },
    { argv: ['start'], env: { SWITCHBOARD_PORT: 'abc' } },
  ],
  3: [{ argv: ['sessions', 'list'], env: { SWITCHBOARD_URL: NOWHERE } }],
  4: [{ argv: ['sessions', 'list'], env: { SWITCHBOARD_TOKEN: 'another-token-of-16-characters' } }],
  5: [
    { argv: ['sessions', 'state', 'nosuch'] },
    { argv: ['sessions', 'show', 'nosuch'] },
    { argv: ['rooms', 'list', 'nosuch'] },
    { argv: ['tail', '--session', 'nosuch'] },
  ],
  6: [
    { argv: ['pair', 'acme'] },
    { argv: ['sessions', 'state', 'away'] },
    { argv: ['rooms', 'list', 'acme'] },
    { argv: ['messages', 'list', 'acme', '+15550000002'] },
    { argv: ['media', 'list', 'acme'] },
  ],
  7: [{ argv: ['send', 'text', 'acme', '+15550000002', 'Hi'] }],
  8: [{ argv: ['send', 'text', 'limited', '+15550000002', 'Hi'] }],
  130: [{ argv: ['tail'], until: 'watching' }],
};

describe('the command line, with the exit codes of the documentation', () => {
  let daemon: FakeDaemon;

  before(async () => {
    daemon = await FakeDaemon.start();
    daemon.token = TOKEN;
    const row = { jid: '', podName: 'node-1', orgId: '', webhookUrl: '' };
    daemon.on('GET /clients', { clients: ['acme', 'away'].map((clientId) => ({ ...row, clientId })) });
    daemon.on('GET /health/clients', { clients: [{ clientId: 'acme', status: 'connected' }] });
    daemon.on('POST /check-state', ({ body }) => ({
      body:
        body.clientId === 'acme'
          ? { status: true, state: '1@s.whatsapp.net' }
          : { status: false, state: 'off' },
    }));
    daemon.on('POST /start', { clientId: 'acme', status: 'connected' });
    daemon.on('GET /qr', { clientId: 'acme', status: 'connected', qr: '' });
    daemon.on('GET /chatrooms', { chatRooms: [] });
    daemon.on('POST /get-groups', () => ({ status: 500, body: { error: 'something broke' } }));
    daemon.on('POST /send-message', ({ body }) =>
      Object(body).clientId === 'limited'
        ? {
            status: 429,
            headers: { 'x-sn-error': 'policy_refused' },
            body: { error: 'the policy refuses it' },
          }
        : { status: 502, body: { error: 'the network refused' } },
    );
  });
  after(() => daemon.stop());

  const documented = [...readFileSync(PAGE, 'utf8').matchAll(/^\| (\d+) \| (.+) \|$/gm)];

  it('has an example of every documented code', () => {
    expect(documented.map(([, code]) => code)).to.have.members(Object.keys(CASES));
  });

  for (const [, code = '', meaning] of documented) {
    for (const { argv, env, until } of CASES[code] ?? []) {
      it(`ends switchboard ${argv.join(' ')} with ${code}: ${meaning}`, async () => {
        const command = new CliProcess(argv, {
          env: { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: TOKEN, ...env },
        });
        if (until) {
          await command.printed(until);
          command.signal('SIGINT');
        }
        const { exitCode, stdout, stderr } = await command.end();
        expect(exitCode, `${stdout}${stderr}`).to.equal(Number(code));
      });
    }
  }
});
