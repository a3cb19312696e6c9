import { Args } from '@oclif/core';
import type { FailedDeliveryWithEvent } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';

export default class FailedShow extends DaemonCommand {
  static override summary = 'Show one failed event';
  static override description =
    `Prints webhook, reason and content. Hides the decryption key of a file; --json prints the event as it was sent.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> 01JD7M8ZQK3V9X2W4Y6T8R0P1N',
    '<%= config.bin %> <%= command.id %> 01JD7M8ZQK3V9X2W4Y6T8R0P1N --json | jq .event',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'id of the delivery, from failed list' }),
  };

  async run(): Promise<FailedDeliveryWithEvent> {
    const { args, flags } = await this.parse(FailedShow);
    const { showFailed } = await import('../../src/terminal/cli/failed.js');
    const details = await showFailed(await this.daemon(flags), args.id);
    if (!this.jsonEnabled()) {
      const { eventText, failedFields } = await import('../../src/terminal/cli/failed.js');
      this.output.fields(failedFields(details));
      this.output.line();
      this.output.block(eventText(details.event));
    }
    return details;
  }
}
