import { writeFile } from 'node:fs/promises';
import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../src/terminal/cli/errors.js';
import type { CheckResult } from '../src/terminal/cli/verify/verify.js';

const MARKS = { passed: ['green', '✓'], warned: ['yellow', '!'], failed: ['red', '✗'] } as const;

export default class Verify extends BaseCommand {
  static override summary = 'Test a webhook receiver';
  static override description =
    `Calls the receiver like the gateway: with every type of event, wrong tokens and signatures, repeated, late and unknown events, large \
bodies, and many calls at once. Needs no daemon. The events are samples of an invented person, so use a test receiver. Exits with 1 if the \
receiver fails a check; a warning does not change the exit code.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> http://localhost:4000/webhook --token s3cret',
    '<%= config.bin %> <%= command.id %> http://localhost:4000/webhook --token s3cret --junit report.xml',
  ];
  static override args = {
    url: Args.string({ name: 'URL', required: true, description: 'URL of the receiver' }),
  };
  static override flags = {
    token: Flags.string({
      description: 'webhook token that the receiver expects',
      env: 'SWITCHBOARD_WEBHOOK_TOKEN',
      required: true,
    }),
    session: Flags.string({ description: 'clientId in the events', default: 'verify' }),
    junit: Flags.string({ description: 'also write a JUnit report to this file', helpValue: 'PATH' }),
  };

  async run(): Promise<{ passed: boolean; checks: CheckResult[] }> {
    const { args, flags } = await this.parse(Verify);
    const { requireHttpUrl } = await import('../src/terminal/cli/flags.js');
    const { junitReport, verifyReceiver } = await import('../src/terminal/cli/verify/verify.js');
    if (!flags.token) throw new CliError('usage', '--token must not be empty');
    const checks: CheckResult[] = [];
    for await (const check of verifyReceiver(requireHttpUrl(args.url), flags.token, flags.session)) {
      checks.push(check);
      if (!this.jsonEnabled()) this.#show(check);
    }
    if (flags.junit !== undefined) await writeFile(flags.junit, junitReport(checks));
    const count = (outcome: CheckResult['outcome']) => checks.filter((one) => one.outcome === outcome).length;
    if (count('failed') > 0) process.exitCode = EXIT_CODES.failure;
    if (!this.jsonEnabled()) {
      this.output.line();
      this.output.line(`${count('passed')} passed, ${count('warned')} warnings, ${count('failed')} failed`);
    }
    return { passed: count('failed') === 0, checks };
  }

  #show({ name, outcome, detail }: CheckResult): void {
    const [colour, mark] = MARKS[outcome];
    const because = detail ? `: ${detail}` : '';
    this.output.line(`${this.output.paint(colour, mark)} ${name}${because}`);
  }
}
