import { Args, Flags } from '@oclif/core';
import { CliError } from '../../src/cli/cli-error.js';
import type { DaemonClient } from '../../src/cli/client.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { EXIT_CODES } from '../../src/cli/exit-code.js';
import type { ResendSummary } from '../../src/cli/failed.js';
import { listenForInterrupt } from '../../src/cli/interrupt.js';
import type { TestEventAnswer } from '../../src/cli/wire.js';

interface Selection {
  ids: string[];
  all: boolean;
  session?: string;
  types: string[];
}

interface ResendResult extends Omit<ResendSummary, 'trouble'> {
  deliveries: TestEventAnswer[];
}

export default class FailedResend extends DaemonCommand {
  static override summary = 'Send events again that did not reach their webhook';
  static override description =
    `Each gets four new attempts at the webhook that the session has now, with its old id and content, and \
leaves the list when it arrives. With --all the oldest go first, a few at a time. Receivers may have seen \
an event before: they tell by X-SN-Delivery, or by session, room and message.

Ctrl+C ends it after those that are under way. Ends with 1 when not all arrived.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> 01JD7M8ZQK3V9X2W4Y6T8R0P1N',
    '<%= config.bin %> <%= command.id %> --all --session acme',
    '<%= config.bin %> <%= command.id %> --all --session acme --type text --type image --json',
  ];
  static override strict = false;
  static override args = {
    id: Args.string({ description: 'ids of deliveries, as failed list shows them' }),
  };
  static override flags = {
    all: Flags.boolean({ description: 'all of a session', dependsOn: ['session'] }),
    session: Flags.string({ description: 'the session, with --all' }),
    type: Flags.string({
      description: 'with --all only events of this type; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      default: [],
    }),
  };

  async run(): Promise<ResendResult> {
    const { argv, flags } = await this.parse(FailedResend);
    const { all = false, session, type: types } = flags;
    const { resend } = await import('../../src/cli/failed.js');
    // a call that is broken off would leave open whether the event arrived
    const client = await this.daemon(flags);
    const ids = await this.select(client, { ids: argv.map(String), all, session, types });
    const interrupt = listenForInterrupt();
    void interrupt.aborted.then(() => this.output.note('ending after those that are under way'));
    const deliveries: TestEventAnswer[] = [];
    const { trouble, ...summary } = await resend(client, ids, {
      signal: interrupt.signal,
      tell: (id, answer) => {
        deliveries.push(answer);
        if (!this.jsonEnabled()) this.showOne(id, answer, `${deliveries.length}/${ids.length}`);
      },
    });
    interrupt.release();
    if (!this.jsonEnabled() || trouble) this.showSummary(summary);
    if (trouble) throw trouble;
    if (summary.failed + summary.untried > 0) process.exitCode = EXIT_CODES.failure;
    return { ...summary, deliveries };
  }

  private async select(client: DaemonClient, { ids, all, session, types }: Selection): Promise<string[]> {
    if (all === ids.length > 0) throw new CliError('usage', 'name either ids or --all with --session');
    if (!all) return [...new Set(ids)];
    const { failedOf } = await import('../../src/cli/failed.js');
    return (await failedOf(client, session ?? '', types)).map(({ id }) => id);
  }

  private showOne(id: string, { delivered, reason }: TestEventAnswer, place: string): void {
    const { paint } = this.output;
    const outcome = delivered ? paint('green', '✓ delivered') : paint('red', `✗ ${reason}`);
    this.output.line(`${paint('dim', place)} ${id} ${outcome}`);
  }

  private showSummary({ delivered, failed, untried }: Omit<ResendSummary, 'trouble'>): void {
    if (delivered + failed + untried === 0) this.output.note('nothing to send again');
    else this.output.note(`delivered ${delivered}, failed ${failed}, not tried ${untried}`);
  }
}
