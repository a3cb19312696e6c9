import { Flags } from '@oclif/core';
import type { KeptEvent } from '../src/contract/index.js';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../src/terminal/cli/errors.js';
import { clientIdArg } from '../src/terminal/cli/flags.js';
import { type ReplaySummary, timeFlag } from '../src/terminal/cli/replay.js';
import { EVENT_TYPES } from '../src/terminal/cli/trigger.js';

const several = { multiple: true, multipleNonGreedy: true } as const;

export default class Replay extends DaemonCommand {
  static override summary = 'Send kept events of a session again';
  static override description =
    `A session keeps its events once "switchboard sessions retention CLIENTID --keep-events DAYS" is set. Each event is sent to one receiver, the oldest first, \
as a new delivery with the header X-SN-Replayed. Skips events that do not pass the filter of the receiver. Stops at the first event that \
the receiver does not accept, and exits with 1. That event becomes a failed delivery; --after continues with the next one.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme --from 2h --dry-run',
    '<%= config.bin %> <%= command.id %> acme --from 2026-11-22T10:00:00Z --to 2026-11-22T12:00:00Z',
    '<%= config.bin %> <%= command.id %> acme --from 1d --type text --type image --receiver 2',
    '<%= config.bin %> <%= command.id %> acme --id 01JD7M8ZQK3V9X2W4Y6T8R0P1N --json',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    from: timeFlag({
      description: 'only events from this time on, such as 2026-11-22T10:00:00Z, or an age such as 2h',
    }),
    to: timeFlag({ description: 'only events up to this time or age' }),
    type: Flags.option({
      description: 'only events of this type; repeatable',
      options: EVENT_TYPES,
      ...several,
    })(),
    id: Flags.string({ description: 'only this event, from --dry-run; repeatable', ...several }),
    receiver: Flags.string({ description: 'id of the receiver; 1 is the webhook', default: '1' }),
    'ignore-filter': Flags.boolean({
      description: 'also send events that do not pass the filter of the receiver',
    }),
    after: Flags.string({ description: 'continue after this place, shown when a replay stops' }),
    'dry-run': Flags.boolean({
      description: 'list the kept events instead, newest first',
      exclusive: ['id', 'after'],
    }),
  };

  async run(): Promise<ReplaySummary | { keptEvents: KeptEvent[] }> {
    const { args, flags } = await this.parse(Replay);
    const { from, to, type: types, id: ids, receiver, after } = flags;
    const client = await this.daemon(flags);
    const { keptOf, replay } = await import('../src/terminal/cli/replay.js');
    if (flags['dry-run']) {
      const keptEvents = await keptOf(client, { ...args, from, to }, types ?? []);
      if (!this.jsonEnabled()) await this.showKept(keptEvents);
      return { keptEvents };
    }
    if (!from && !to && !ids)
      throw new CliError('usage', 'give --from, --to or --id; --dry-run lists what is kept');
    const ignoreFilter = Boolean(flags['ignore-filter']);
    const summary = await replay(client, { ...args, receiver, from, to, types, ids, ignoreFilter, after });
    if (!this.jsonEnabled()) this.showSummary(summary);
    if (summary.reason !== undefined) process.exitCode = EXIT_CODES.failure;
    return summary;
  }

  private async showKept(events: readonly KeptEvent[]): Promise<void> {
    if (events.length === 0) return this.output.note('no kept events');
    await this.output.table(
      ['ID', 'AT', 'TYPE', 'MESSAGE', 'BYTES'],
      events.map(({ id, at, type, messageId, bytes }) => [id, at, type, messageId, String(bytes)]),
    );
  }

  private showSummary({ receiver, replayed, filtered, damaged, missing, reason, next }: ReplaySummary): void {
    this.output.line(`${replayed} ${replayed === 1 ? 'event' : 'events'} sent again to receiver ${receiver}`);
    if (filtered > 0) this.output.note(`${filtered} do not pass its filter; --ignore-filter sends them, too`);
    if (damaged) this.output.note(`${damaged} skipped: damaged in the store, see the daemon's log`);
    if (missing) this.output.note(`not kept: ${missing.join(', ')}`);
    if (reason !== undefined) this.output.note(`stopped: the receiver did not take an event: ${reason}`);
    if (next) this.output.note(`go on: --after ${next}`);
  }
}
