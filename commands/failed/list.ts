import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import type { FailedPage } from '../../src/cli/failed.js';

const DEFAULT_LIMIT = 50;
const MOST = 1_000;

export default class FailedList extends DaemonCommand {
  static override summary = 'List events that did not reach their webhook';
  static override description =
    `Newest first: what four attempts could not deliver, and what the receiver rejected. They are kept for 7 \
days, at most 1,000 of each session, and nothing is sent again by itself.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme --limit 200',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.failedDeliveries[].reason' | sort | uniq -c",
  ];
  static override flags = {
    session: Flags.string({ description: 'only of this session' }),
    limit: Flags.integer({ description: 'how many at most', default: DEFAULT_LIMIT, min: 1, max: MOST }),
    before: Flags.string({ description: 'the page after this one, as the end of a page names it' }),
  };

  async run(): Promise<FailedPage> {
    const { flags } = await this.parse(FailedList);
    const { listFailed } = await import('../../src/cli/failed.js');
    const { session, limit, before } = flags;
    const page = await listFailed(await this.daemon(flags), { session, limit, before });
    if (!this.jsonEnabled()) await this.show(page);
    return page;
  }

  private async show({ failedDeliveries, next }: FailedPage): Promise<void> {
    if (failedDeliveries.length === 0) {
      this.output.note('nothing failed');
      return;
    }
    const { failedRow, FAILED_HEAD } = await import('../../src/cli/failed-lines.js');
    await this.output.table(FAILED_HEAD, failedDeliveries.map(failedRow));
    if (next) this.output.note(`there are older ones: --before ${next}`);
  }
}
