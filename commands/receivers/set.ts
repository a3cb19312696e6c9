import { Flags } from '@oclif/core';
import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { age, clientIdArg } from '../../src/terminal/cli/flags.js';
import {
  receiverArg,
  receiverText,
  settingFlags,
  settingsOf,
  withUrlHint,
} from '../../src/terminal/cli/receivers.js';

export default class ReceiversSet extends DaemonCommand {
  static override summary = 'Change a receiver';
  static override description =
    'Flags that are not given change nothing. The filter flags together replace the whole filter; so do --header for the headers, and the \
schedule flags for the schedule. A new URL ends a pause.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 2 --receiver-url https://example.com/new',
    '<%= config.bin %> <%= command.id %> acme 2 --receiver-token NEW --keep-previous-token 1d',
    '<%= config.bin %> <%= command.id %> acme 2 --all-events',
  ];
  static override args = { clientId: clientIdArg(), id: receiverArg() };
  static override flags = {
    'receiver-url': Flags.string({ description: 'new URL', helpValue: 'URL' }),
    ...settingFlags(),
    'all-events': Flags.boolean({
      description: 'remove the filter',
      exclusive: ['type', 'direction', 'groups', 'room', 'sender'],
    }),
    'no-headers': Flags.boolean({ description: 'remove all own headers', exclusive: ['header'] }),
    'usual-schedule': Flags.boolean({
      description: 'use the default schedule again',
      exclusive: ['attempts', 'pause-seconds', 'give-up-hours'],
    }),
    'keep-previous-token': age({
      description: 'also sign with the previous token for this long (up to 7d)',
    }),
  };

  protected override catch(error: Error): Promise<void> {
    const hint =
      'give the address of the receiver with --receiver-url: --url is that of the daemon, which gets the token';
    return super.catch(withUrlHint(error, this.argv, hint));
  }

  async run(): Promise<Answer<'updateReceiver'>> {
    const { args, flags } = await this.parse(ReceiversSet);
    const kept = flags['keep-previous-token'];
    const changes = {
      ...settingsOf(flags),
      url: flags['receiver-url'],
      previousTokenFor: kept && kept.ms / 1_000,
      ...(flags['all-events'] && { filter: {} }),
      ...(flags['no-headers'] && { headers: {} }),
      ...(flags['usual-schedule'] && { schedule: {} }),
    };
    if (Object.values(changes).every((value) => value === undefined)) {
      throw new CliError('usage', 'nothing to change: give a flag such as --receiver-url or --name', {
        suggestions: [`pause or resume it: switchboard receivers pause ${args.clientId} ${args.id}`],
      });
    }
    const client = await this.daemon(flags);
    const answer = await client.updateReceiver({ ...args, ...changes });
    if (!this.jsonEnabled()) this.output.line(receiverText(answer.receiver));
    return answer;
  }
}
