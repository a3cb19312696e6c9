import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/command.js';
import { age, clientIdArg } from '../../src/cli/flags.js';
import { receiverArg, receiverText, settingFlags, settingsOf } from '../../src/cli/receivers.js';
import type { Answer } from '../../src/contract/index.js';

export default class ReceiversSet extends DaemonCommand {
  static override summary = 'Change a receiver';
  static override description =
    'What is not given stays. The flags of the filter together replace the filter before, and so do --header and the flags of the \
schedule. A new URL ends a pause.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 2 --receiver-url https://example.com/new',
    '<%= config.bin %> <%= command.id %> acme 2 --receiver-token NEW --keep-previous-token 1d',
    '<%= config.bin %> <%= command.id %> acme 2 --all-events',
  ];
  static override args = { clientId: clientIdArg(), id: receiverArg() };
  static override flags = {
    'receiver-url': Flags.string({ description: 'its new address', helpValue: 'URL' }),
    ...settingFlags(),
    'all-events': Flags.boolean({
      description: 'remove the filter',
      exclusive: ['type', 'direction', 'groups', 'room', 'sender'],
    }),
    'no-headers': Flags.boolean({ description: 'remove its own headers', exclusive: ['header'] }),
    'usual-schedule': Flags.boolean({
      description: 'remove its own schedule',
      exclusive: ['attempts', 'pause-seconds', 'give-up-hours'],
    }),
    'keep-previous-token': age({
      description: 'sign calls with the token before, too, for so long: up to 7d',
    }),
  };

  async run(): Promise<Answer<'updateReceiver'>> {
    const { args, flags } = await this.parse(ReceiversSet);
    const client = await this.daemon(flags);
    const kept = flags['keep-previous-token'];
    const answer = await client.updateReceiver({
      ...args,
      ...settingsOf(flags),
      url: flags['receiver-url'],
      previousTokenFor: kept && kept.ms / 1_000,
      ...(flags['all-events'] && { filter: {} }),
      ...(flags['no-headers'] && { headers: {} }),
      ...(flags['usual-schedule'] && { schedule: {} }),
    });
    if (!this.jsonEnabled()) this.output.line(receiverText(answer.receiver));
    return answer;
  }
}
