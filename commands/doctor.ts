import { Flags } from '@oclif/core';
import { systemClock } from '../src/domain/clock.js';
import { apiVersion } from '../src/domain/version.js';
import { DaemonClient, findToken, tokenPath } from '../src/terminal/cli/client.js';
import { DaemonCommand, type DaemonFlags } from '../src/terminal/cli/command.js';
import type { CheckResult } from '../src/terminal/cli/doctor/check.js';
import type { DoctorOptions } from '../src/terminal/cli/doctor/context.js';
import { EXIT_CODES } from '../src/terminal/cli/errors.js';
import type { Style } from '../src/terminal/cli/output.js';
import { WaitingLine } from '../src/terminal/cli/progress.js';

const MARKS: Readonly<Record<CheckResult['level'], { mark: string; style: Style }>> = {
  ok: { mark: '✓', style: 'green' },
  warning: { mark: '!', style: 'yellow' },
  failed: { mark: '✗', style: 'red' },
  skipped: { mark: '-', style: 'dim' },
};

export default class Doctor extends DaemonCommand {
  static override summary = 'Find problems and say how to fix them';
  static override description =
    `Checks this program, its settings, files and disk; the daemon's clock, store and token; the other nodes of the store; the network; \
and the webhook, failed deliveries and history of each session. Changes nothing, and sends nothing to the webhooks unless --send is given. \
Exits with 1 if a check failed. Each problem has a fixed name, explained in docs/troubleshooting.md.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme --send',
    '<%= config.bin %> <%= command.id %> --json | jq -r \'.checks[] | select(.level == "failed") | .trouble\'',
  ];
  static override flags = {
    session: Flags.string({ description: 'check only this session' }),
    send: Flags.boolean({
      description: 'send a sample text event to each webhook; default: only check the last call',
      default: false,
      allowNo: true,
    }),
    network: Flags.string({
      description: "check the connection to this network; default: the daemon's",
      env: 'SWITCHBOARD_NETWORK',
    }),
  };

  async run(): Promise<{ ok: boolean; checks: CheckResult[] }> {
    const { flags } = await this.parse(Doctor);
    const { doctor } = await import('../src/terminal/cli/doctor/doctor.js');
    const over = new AbortController();
    const options = await this.options(flags, over.signal);
    const waiting = new WaitingLine((what) => `checking ${what}`);
    const checks: CheckResult[] = [];
    try {
      for await (const check of doctor(options, (what) => waiting.show(what))) {
        waiting.clear();
        checks.push(check);
        if (!this.jsonEnabled()) this.show(check);
      }
    } finally {
      waiting.clear();
      // abort: a check that timed out would keep the process alive
      over.abort();
    }
    const isWell = checks.every(({ level }) => level !== 'failed');
    if (!isWell) process.exitCode = EXIT_CODES.failure;
    return { ok: isWell, checks };
  }

  protected async options(
    flags: DaemonFlags & { session?: string; send: boolean; network?: string },
    signal: AbortSignal,
  ): Promise<DoctorOptions> {
    const { LIMITS } = await import('../src/terminal/cli/doctor/context.js');
    const dataDir = this.dataDir(flags);
    // an unreadable token file is a finding of a check
    const token = flags.token || (await findToken(flags.url, dataDir).catch(() => undefined));
    return {
      client: new DaemonClient({ url: flags.url, token, tokenPath: tokenPath(dataDir), signal }),
      hasToken: token !== undefined,
      dataDir,
      env: process.env,
      network: flags.network || undefined,
      session: flags.session,
      sendsEvents: flags.send,
      program: {
        release: apiVersion(this.config.version),
        nodeVersion: process.versions.node,
        nodeRange: this.config.pjson.engines?.node ?? '',
      },
      readSettings: async ({ dataDir: defaultDataDir, env }) => {
        const { readSettings } = await import('../src/gateway/config/load.js');
        return readSettings({ flags: { dataDir: defaultDataDir }, env, defaultDataDir });
      },
      readEncryptionKey: async (path) =>
        (await import('../src/gateway/config/secrets.js')).readEncryptionKey(path),
      tryStore: async ({ dataDir: path, encryptionKey }) => {
        const { encryptionKeyBytes } = await import('../src/gateway/config/secrets.js');
        // loaded only if no daemon uses the store
        const { tryExistingStore } = await import('../src/gateway/store/open.js');
        await tryExistingStore({ dataDir: path, encryptionKey: encryptionKeyBytes(encryptionKey) });
      },
      findDamage: async (place, limitMs) =>
        (await import('../src/gateway/store/open.js')).findStoreDamage(place, limitMs),
      clock: systemClock,
      limits: LIMITS,
    };
  }

  private show({ id, session, level, trouble, detail, advice }: CheckResult): void {
    const { paint } = this.output;
    const { mark, style } = MARKS[level];
    const name = session === undefined ? id : `${id} ${session}`;
    this.output.line(`${paint(style, mark)} ${paint('bold', name)}: ${detail}`);
    if (advice) this.output.line(`    → ${advice} ${paint('dim', `[${trouble}]`)}`);
  }
}
