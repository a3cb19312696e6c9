import { Args, Flags } from '@oclif/core';
import type { ResendAnswer } from '../../src/contract/index.js';
import type { DaemonClient } from '../../src/terminal/cli/client.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../../src/terminal/cli/errors.js';
import type { FailedChoice, ResendSummary } from '../../src/terminal/cli/failed.js';
import { listenForInterrupt } from '../../src/terminal/cli/terminal.js';
import { counted } from '../../src/terminal/cli/text.js';

interface ResendResult extends Omit<ResendSummary, 'trouble'> {
  deliveries: ResendAnswer[];
}

export default class FailedResend extends DaemonCommand {
  static override summary = 'Deliver failed events again';
  static override description =
    `Makes up to four new attempts per event to the session's current webhook, or to the receiver of the event, with the \
original id and content. Delivered events leave the list. With --all, sends the failed events of all sessions, or of --session: the \
oldest first, four at a time. A receiver may get an event twice: compare X-SN-Delivery, or session, room and message.

Ctrl+C stops after the deliveries in flight. Exits with 1 if an event was not delivered.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> 01JD7M8ZQK3V9X2W4Y6T8R0P1N',
    '<%= config.bin %> <%= command.id %> --all',
    '<%= config.bin %> <%= command.id %> --all --session acme',
    '<%= config.bin %> <%= command.id %> --all --session acme --type text --type image --json',
  ];
  static override strict = false;
  static override args = {
    id: Args.string({ description: 'ids of deliveries, from failed list' }),
  };
  static override flags = {
    all: Flags.boolean({ description: 'all failed events, of all sessions unless --session names one' }),
    session: Flags.string({ description: 'with --all, only events of this session' }),
    receiver: Flags.string({
      description: 'with --all, only events for this receiver of --session; 1 is the webhook',
      dependsOn: ['all', 'session'],
    }),
    type: Flags.string({
      description: 'with --all, only events of this type; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      default: [],
    }),
  };

  async run(): Promise<ResendResult> {
    const { argv, flags } = await this.parse(FailedResend);
    const { all = false, session, receiver, type: types } = flags;
    const { resend } = await import('../../src/terminal/cli/failed.js');
    // this client gets no interrupt: after an aborted call it would be unknown whether the event arrived
    const client = await this.daemon(flags);
    const ids = await this.select(client, { ids: argv.map(String), all, session, receiver, types });
    const interrupt = listenForInterrupt();
    void interrupt.aborted.then(() => this.output.note('stopping after the deliveries in flight'));
    const deliveries: ResendAnswer[] = [];
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

  /** The ids of the deliveries to send, oldest first. */
  private async select(
    client: DaemonClient,
    { ids, all, ...choice }: FailedChoice & { ids: string[]; all: boolean },
  ): Promise<string[]> {
    if (all === ids.length > 0) throw new CliError('usage', 'give either ids of deliveries, or --all');
    if (!all && choice.session !== undefined) throw new CliError('usage', '--session needs --all');
    if (!all) return [...new Set(ids)];
    const { failedOf } = await import('../../src/terminal/cli/failed.js');
    const { failed, samples } = await failedOf(client, choice);
    if (choice.session !== undefined && failed.length === 0) {
      const { requireSession } = await import('../../src/terminal/cli/sessions.js');
      await requireSession(client, choice.session);
    }
    if (samples > 0) {
      this.output.note(`left out: ${counted(samples, 'sample')} of an earlier release`);
    }
    const sessions = new Set(failed.map(({ clientId }) => clientId)).size;
    if (choice.session === undefined && failed.length > 0 && !this.jsonEnabled()) {
      this.output.note(`${counted(failed.length, 'failed event')} of ${counted(sessions, 'session')}`);
    }
    return failed.map(({ id }) => id);
  }

  private showOne(id: string, { delivered, reason }: ResendAnswer, place: string): void {
    const { paint } = this.output;
    const outcome = delivered ? paint('green', '✓ delivered') : paint('red', `✗ ${reason}`);
    this.output.line(`${paint('dim', place)} ${id} ${outcome}`);
  }

  private showSummary({ delivered, failed, untried }: Omit<ResendSummary, 'trouble'>): void {
    if (delivered + failed + untried === 0) this.output.note('no failed deliveries');
    else this.output.note(`${delivered} delivered, ${failed} failed, ${untried} not tried`);
  }
}
