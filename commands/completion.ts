import { Args } from '@oclif/core';
import { BaseCommand } from '../src/cli/base-command.js';
import { completionScript, SHELLS } from '../src/cli/completion/scripts.js';

export default class Completion extends BaseCommand {
  static override summary = 'Print the script that completes commands in a shell';
  static override description =
    `Completes commands, flags, their values and the names of sessions. After an upgrade the script stays as it is:
it asks the command line itself.

bash: add to ~/.bashrc the line of the first example.
zsh: write it to a folder of $fpath under the name _switchboard.
fish: write it to ~/.config/fish/completions.`;
  static override examples = [
    'source <(<%= config.bin %> <%= command.id %> bash)',
    '<%= config.bin %> <%= command.id %> zsh > "$' + '{fpath[1]}/_<%= config.bin %>"',
    '<%= config.bin %> <%= command.id %> fish > ~/.config/fish/completions/<%= config.bin %>.fish',
  ];
  static override args = {
    shell: Args.string({ options: SHELLS, required: true, description: 'which shell' }),
  };

  async run(): Promise<{ script: string }> {
    const { args } = await this.parse(Completion);
    const script = completionScript(args.shell, this.config.bin);
    if (!this.jsonEnabled()) this.output.line(script.trimEnd());
    return { script };
  }
}
