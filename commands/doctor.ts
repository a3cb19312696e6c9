import { Flags } from '@oclif/core';
import { DaemonCommand } from '../src/cli/daemon-command.js';
import type { CheckResult } from '../src/cli/doctor/check.js';
import { EXIT_CODES } from '../src/cli/exit-code.js';
import type { Style } from '../src/cli/paint.js';

const MARKS: Readonly<Record<CheckResult['status'], { mark: string; style: Style }>> = {
  ok: { mark: '✓', style: 'green' },
  warn: { mark: '!', style: 'yellow' },
  fail: { mark: '✗', style: 'red' },
};

interface DoctorReport {
  /** False when a check failed; warnings do not count. */
  ok: boolean;
  checks: CheckResult[];
}

export default class Doctor extends DaemonCommand {
  static override summary = 'Find out what does not work, and what to do about it';
  static override description =
    `Looks at settings, data directory, daemon, clock, store, token, network, and at each
session with its webhook. Changes nothing; ends with 1 when something fails.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --send-test',
    '<%= config.bin %> <%= command.id %> --json | jq \'.checks[] | select(.status == "fail")\'',
  ];
  static override flags = {
    network: Flags.string({
      description: "the network to reach; else the daemon's",
      env: 'SWITCHBOARD_NETWORK',
    }),
    'send-test': Flags.boolean({ description: 'send a real test event to each webhook' }),
  };

  async run(): Promise<DoctorReport> {
    const { flags } = await this.parse(Doctor);
    const { doctor } = await import('../src/cli/doctor/doctor.js');
    const checks: CheckResult[] = [];
    const found = doctor({
      client: await this.daemon(flags),
      dataDir: this.dataDir(flags),
      env: process.env,
      network: flags.network || undefined,
      sendTest: flags['send-test'],
    });
    for await (const check of found) {
      checks.push(check);
      if (!this.jsonEnabled()) this.show(check);
    }
    const isWell = checks.every((check) => check.status !== 'fail');
    if (!isWell) process.exitCode = EXIT_CODES.failure;
    return { ok: isWell, checks };
  }

  private show({ name, status, detail, advice }: CheckResult): void {
    const { mark, style } = MARKS[status];
    this.output.line(`${this.output.paint(style, mark)} ${this.output.paint('bold', name)}: ${detail}`);
    if (advice) this.output.line(`    → ${advice}`);
  }
}
