import { Flags } from '@oclif/core';
import { DaemonClient } from '../src/cli/client.js';
import { DaemonCommand, type DaemonFlags } from '../src/cli/daemon-command.js';
import type { CheckResult, Level } from '../src/cli/doctor/check.js';
import type { DoctorOptions } from '../src/cli/doctor/room.js';
import { EXIT_CODES } from '../src/cli/exit-code.js';
import type { Style } from '../src/cli/paint.js';
import { findToken, tokenPath } from '../src/cli/token.js';
import { WaitingLine } from '../src/cli/waiting-line.js';
import { systemClock } from '../src/domain/clock.js';

const MARKS: Readonly<Record<Level, { mark: string; style: Style }>> = {
  ok: { mark: '✓', style: 'green' },
  warning: { mark: '!', style: 'yellow' },
  failed: { mark: '✗', style: 'red' },
  skipped: { mark: '-', style: 'dim' },
};

interface DoctorReport {
  /** False when a check failed; warnings do not count. */
  ok: boolean;
  checks: CheckResult[];
}

export default class Doctor extends DaemonCommand {
  static override summary = 'Find out what does not work, and what to do about it';
  static override description =
    `Looks at this program, its settings, files and disk, at the daemon, its clock, store and token, at
the other nodes on its store, at the network, and at each session with its webhook, its failed deliveries and its history.
Changes nothing, but has the daemon send each webhook a made-up event, unless --no-send.
Ends with 1 when something has failed. Each trouble has a name that never changes, and is
explained in docs/troubleshooting.md.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme --no-send',
    '<%= config.bin %> <%= command.id %> --json | jq -r \'.checks[] | select(.level == "failed") | .trouble\'',
  ];
  static override flags = {
    session: Flags.string({ description: 'look at this session only' }),
    send: Flags.boolean({
      description:
        'have a made-up text event sent to each webhook; without it only failed deliveries are read',
      default: true,
      allowNo: true,
    }),
    network: Flags.string({
      description: "the network to reach; else the daemon's",
      env: 'SWITCHBOARD_NETWORK',
    }),
  };

  async run(): Promise<DoctorReport> {
    const { flags } = await this.parse(Doctor);
    const { doctor } = await import('../src/cli/doctor/doctor.js');
    const over = new AbortController();
    const options = await this.options(flags, over.signal);
    const waiting = new WaitingLine((what) => `looking at ${what}`);
    const checks: CheckResult[] = [];
    try {
      for await (const check of doctor(options, (what) => waiting.show(what))) {
        waiting.clear();
        checks.push(check);
        if (!this.jsonEnabled()) this.show(check);
      }
    } finally {
      waiting.clear();
      // what took too long would keep the process
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
    const { LIMITS } = await import('../src/cli/doctor/room.js');
    const dataDir = this.dataDir(flags);
    // one that cannot be read is a finding, not the end
    const token = flags.token || (await findToken(flags.url, dataDir).catch(() => undefined));
    const { release, engines } = this.config.pjson;
    return {
      client: new DaemonClient({ url: flags.url, token, tokenPath: tokenPath(dataDir), signal }),
      hasToken: token !== undefined,
      dataDir,
      env: process.env,
      network: flags.network || undefined,
      session: flags.session,
      sendsEvents: flags.send,
      program: {
        release: String(release),
        nodeVersion: process.versions.node,
        nodeRange: engines?.node ?? '',
      },
      // loaded only when no daemon has the store
      tryStore: async (place) => (await import('../src/store/open.js')).tryExistingStore(place),
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
