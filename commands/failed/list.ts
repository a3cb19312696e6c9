import { Flags } from '@oclif/core';
import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';

const DEFAULT_LIMIT = 50;
const MOST = 1_000;

export default class FailedList extends DaemonCommand {
  static override summary = 'List events that could not be delivered to their webhook';
  static override description =
    `Lists events that failed four times or that the receiver rejected, newest first. Failed events are kept for 7 days, up to 1,000 per \
receiver. \`switchboard failed resend\` delivers them again.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme --limit 200',
    '<%= config.bin %> <%= command.id %> --session acme --receiver 2',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.failedDeliveries[].reason' | sort | uniq -c",
  ];
  static override flags = {
    session: Flags.string({ description: 'only events of this session' }),
    receiver: Flags.string({
      description: 'only events for this receiver of --session; 1 is its webhook',
      dependsOn: ['session'],
    }),
    limit: Flags.integer({
      description: 'maximum number of events',
      default: DEFAULT_LIMIT,
      min: 1,
      max: MOST,
    }),
    before: Flags.string({ description: 'continue after this id, shown at the end of a page' }),
  };

  async run(): Promise<Answer<'listFailedDeliveries'>> {
    const { flags } = await this.parse(FailedList);
    const client = await this.daemon(flags);
    const { session, receiver, limit, before } = flags;
    const page = await client.listFailedDeliveries({ clientId: session, receiver, limit, before });
    const { healthOf, requireSession } = await import('../../src/terminal/cli/sessions.js');
    if (session !== undefined && page.failedDeliveries.length === 0) await requireSession(client, session);
    if (this.jsonEnabled()) return page;
    await this.show(page);
    const { waitingLine, waitingOf } = await import('../../src/terminal/cli/failed.js');
    for (const health of await healthOf(client, session ? [session] : [])) {
      if ((session ?? health.clientId) !== health.clientId) continue;
      for (const [name, waiting] of waitingOf(health, receiver)) {
        this.output.note(`${name}: ${waitingLine(waiting)}`);
      }
    }
    return page;
  }

  private async show({ failedDeliveries, next }: Answer<'listFailedDeliveries'>): Promise<void> {
    if (failedDeliveries.length === 0) {
      this.output.note('no failed deliveries');
      return;
    }
    const { failedRow, FAILED_HEAD } = await import('../../src/terminal/cli/failed.js');
    await this.output.table(FAILED_HEAD, failedDeliveries.map(failedRow));
    if (next) this.output.note(`older ones: --before ${next}`);
  }
}
