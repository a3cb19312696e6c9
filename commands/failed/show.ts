import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import type { FailedDetails } from '../../src/cli/failed.js';

export default class FailedShow extends DaemonCommand {
  static override summary = 'Show one event that did not reach its webhook';
  static override description =
    `Where it should have gone, why it did not get there, and the event itself. The key that a file is \
encrypted with is not shown; --json has the event exactly as it was sent.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> 01JD7M8ZQK3V9X2W4Y6T8R0P1N',
    '<%= config.bin %> <%= command.id %> 01JD7M8ZQK3V9X2W4Y6T8R0P1N --json | jq .event',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'id of the delivery, as failed list shows it' }),
  };

  async run(): Promise<FailedDetails> {
    const { args, flags } = await this.parse(FailedShow);
    const { showFailed } = await import('../../src/cli/failed.js');
    const details = await showFailed(await this.daemon(flags), args.id);
    if (!this.jsonEnabled()) {
      const { eventText, failedFields } = await import('../../src/cli/failed-lines.js');
      this.output.fields(failedFields(details));
      this.output.line();
      this.output.line(eventText(details.event));
    }
    return details;
  }
}
