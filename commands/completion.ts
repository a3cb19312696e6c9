import { Args } from '@oclif/core';
import { BaseCommand } from '../src/terminal/cli/command.js';
import { completionScript, SHELLS } from '../src/terminal/cli/completion/scripts.js';

export default class Completion extends BaseCommand {
  static override summary = 'Print the completion script of a shell';
  static override description =
    `Completes commands, flags, flag values and session names. The script asks switchboard for the \
candidates, so it stays valid after an upgrade.

bash: add the line of the first example to ~/.bashrc.
zsh: write the script as _switchboard to a folder of $fpath.
fish: write the script to ~/.config/fish/completions.`;
  static override examples = [
    'source <(<%= config.bin %> <%= command.id %> bash)',
    '<%= config.bin %> <%= command.id %> zsh > "$' + '{fpath[1]}/_<%= config.bin %>"',
    '<%= config.bin %> <%= command.id %> fish > ~/.config/fish/completions/<%= config.bin %>.fish',
  ];
  static override args = {
    shell: Args.string({ options: SHELLS, required: true, description: 'name of the shell' }),
  };

  async run(): Promise<{ script: string }> {
    const { args } = await this.parse(Completion);
    const script = completionScript(args.shell, this.config.bin);
    if (!this.jsonEnabled()) this.output.block(script.trimEnd());
    return { script };
  }
}
