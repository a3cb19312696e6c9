import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { TIMER_NAMES, timerSeconds } from '../../src/terminal/cli/timer.js';

export default class ProfileSet extends DaemonCommand {
  static override summary = 'Change name, text or default timer of a linked number';
  static override description =
    'Flags that are not given change nothing. `switchboard profile picture` changes the picture.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme --name "Ada Example" --about "Open from 9 to 5"',
    '<%= config.bin %> <%= command.id %> acme --disappearing 7d',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    name: Flags.string({ description: 'name that other people see, up to 25 characters' }),
    about: Flags.string({ description: 'text below the name, up to 139 characters; "" removes it' }),
    disappearing: Flags.string({
      description: 'time until messages of new chats disappear',
      options: [...TIMER_NAMES],
    }),
  };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ProfileSet);
    const { name, about, disappearing } = flags;
    if (name === undefined && about === undefined && disappearing === undefined)
      throw new CliError('usage', 'nothing to change', {
        suggestions: ['give --name, --about or --disappearing'],
      });
    const client = await this.daemon(flags);
    const disappearingSeconds = disappearing === undefined ? undefined : timerSeconds(disappearing);
    const answer = await client.setProfile({ ...args, name, about, disappearingSeconds });
    if (!this.jsonEnabled()) this.output.line(`changed the profile of ${args.clientId}`);
    return answer;
  }
}
