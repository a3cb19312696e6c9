import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import SessionsShow from '../../../commands/sessions/show.js';
import { ERROR_STATUSES, type ErrorCode, isGatewayError } from '../../../src/domain/errors.js';
import { type ReasonFields, toFields } from '../../../src/domain/reasons.js';
import type { SessionStatus } from '../../../src/domain/session.js';
import { requirePairable, requireReconnectable } from '../../../src/gateway/services/sessions/record.js';
import { DaemonClient } from '../../../src/terminal/cli/client.js';
import { reasonOf } from '../../../src/terminal/cli/fleet/standing.js';
import { errorReport, painter } from '../../../src/terminal/cli/output.js';
import { reasonText } from '../../../src/terminal/cli/reason-text.js';
import { tailLine } from '../../../src/terminal/cli/tail-lines.js';
import { everyReason } from '../../support/reasons.js';
import { runCommand } from '../../support/run-command.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { diagnose } from './doctor/support/diagnose.js';
import { TOKEN, WellDaemon, wellSession } from './doctor/support/well.js';
import { FakeDaemon } from './support/fake-daemon.js';

const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));
/** A route of the API: no command, and nothing that an operator can type, unless as an argument of `switchboard api`. */
const ROUTE = /(?<!switchboard api)(?:^|[\s(`"'])\/[a-z]+(?:-[a-z]+)*(?=$|[\s`"'.,:;)])/;
/** A word in capitals that stands for a value. */
const PLACEHOLDER = /\b(?:CLIENTID|SESSION|NAME|URL|TO|ID|NUMBER|FILE|PATH)\b(?! of| is)/;
const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_STATUSES, text);

describe('the terminal, with messages of the daemon', () => {
  let daemon: FakeDaemon;
  let well: WellDaemon;
  let folder: TempDir;
  before(async () => {
    daemon = await FakeDaemon.start();
    well = await WellDaemon.start();
    folder = await makeTempDir();
  });
  after(async () => {
    await daemon.stop();
    await well.http.stop();
    await folder.remove();
  });

  const expectTerminal = (text: string) => {
    expect(text).to.not.match(ROUTE);
    expect(text).to.not.match(PLACEHOLDER);
  };

  /** An error of a call that is about the session `acme`, as a command prints it. */
  const printed = async (code: ErrorCode, error: string, data?: ReasonFields): Promise<string> => {
    const headers = { 'x-sn-error': code, ...(data && { 'x-sn-reason': JSON.stringify(data) }) };
    daemon.on('POST /send-message', () => ({ status: ERROR_STATUSES[code], headers, body: { error } }));
    const client = new DaemonClient({ url: daemon.url, token: 't' });
    const failure = await client
      .sendMessage({ clientId: 'acme', to: '+15550000002', body: 'Hi' })
      .catch((caught: unknown) => caught);
    const { error: head, suggestions } = errorReport(failure);
    return [head, ...suggestions].join('\n');
  };

  const messages = messagesByCode();
  for (const code of Object.keys(ERROR_STATUSES).filter(isCode)) {
    it(`names commands, and the session, in errors with the code ${code}`, async () => {
      const found = messages.get(code) ?? [];
      for (const message of [...found, `this is ${code}`]) expectTerminal(await printed(code, message));
    });
  }

  it('names the session in the advice of a session that cannot be used', async () => {
    const refused = async (code: ErrorCode, check: () => void): Promise<string> => {
      try {
        check();
      } catch (error) {
        if (isGatewayError(error) && error.reason)
          return printed(code, error.message, toFields(error.reason));
      }
      throw new Error('the check did not fail with a reason');
    };
    const record = { clientId: 'acme', statusReason: '', jid: '' };
    for (const [status, command] of [
      ['logged_out', 'switchboard pair acme'],
      ['replaced', 'switchboard sessions reconnect acme'],
    ] as const) {
      const check = () => requirePairable({ clientId: 'acme', status, exportedAt: 0 });
      expect(await refused('session_terminal', check)).to.contain(`\`${command}\``);
    }
    const exported = { clientId: 'acme', status: 'replaced', exportedAt: 1 } as const;
    const text = await refused('session_terminal', () => requirePairable(exported));
    expect(text).to.contain('switchboard sessions export acme --undo').and.not.to.contain('reconnect');
    const unpaired = () => requireReconnectable({ ...record, status: 'initializing' });
    expect(await refused('session_unpaired', unpaired)).to.contain('`switchboard pair acme`');
  });

  const statuses: readonly SessionStatus[] = [
    'reconnecting',
    'initializing',
    'logged_out',
    'replaced',
    'banned',
  ];
  for (const why of everyReason()) {
    const kind = why.values.kind ? ` (${String(why.values.kind)})` : '';
    it(`names commands, and the session, in the reason ${why.code}${kind}: fleet, doctor, tail and sessions show`, async () => {
      const fields = toFields(why, 'acme');
      const { reason: lastDisconnect, reasonCode, reasonValues } = fields;
      const ended = {
        lastDisconnect,
        ...(reasonCode && { lastDisconnectCode: reasonCode }),
        ...(reasonValues && { lastDisconnectValues: reasonValues }),
      };
      for (const status of statuses) {
        well.session = wellSession('acme', {
          ...{ status, ...fields, ...ended, connected: false, reconnects: 300 },
        });
        const report = await diagnose({ url: well.http.url, token: TOKEN, dataDir: folder.path });
        const { detail, advice = '' } = report.of('session', 'acme');
        expectTerminal(`${detail}\n${advice}`);
      }
      well.session = wellSession('acme', { status: 'logged_out', ...fields, ...ended });
      const row = { ...wellSession('acme'), ...FLEET, status: 'logged_out' as const, ...fields };
      expectTerminal(reasonOf(row));
      const at = '2026-11-22T10:00:00.000Z';
      const event = {
        ...{ event: 'session.status' as const, type: 'session_status' as const, clientId: 'acme', orgId: '' },
        ...{ timestamp: at, status: 'logged_out' as const, previousStatus: 'connected' as const, ...fields },
      };
      const line = tailLine({ kind: 'event', at, clientId: 'acme', event }, painter(process.stdout));
      expectTerminal(line);
      const env = { SWITCHBOARD_URL: well.http.url, SWITCHBOARD_TOKEN: TOKEN };
      const shown = await runCommand(SessionsShow, ['acme'], env);
      expectTerminal(/^reason .*$/m.exec(shown.stdout)?.[0] ?? '');
      if (reasonText(fields).includes('`')) expect(line).to.contain(' acme');
    });
  }
});

/** What a row of the fleet has beside its health. */
const FLEET = {
  ...{ podName: 'n', orgId: '', enableGroupAi: false, rejectCalls: false },
  ...{ jid: '', retryAt: '', openJournal: 0 },
};

/** The messages of the daemon's errors by their code, with `acme` for each value that is filled in. */
function messagesByCode(): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!/^(?:services|http|link|delivery|cluster)\/.*\.ts$/.test(name)) continue;
    const source = readFileSync(join(SOURCES, name), 'utf8');
    for (const [, code = '', , message = ''] of source.matchAll(
      /GatewayError\(\s*'([a-z_]+)',\s*(['"`])((?:(?!\2)[^\n])+)\2/g,
    )) {
      const filled = message.replaceAll(/\$\{[^}]+\}/g, 'acme');
      found.set(code, [...(found.get(code) ?? []), filled]);
    }
  }
  return found;
}
