import { Args, Flags } from '@oclif/core';
import { ContextCommand } from '../../src/terminal/cli/context-command.js';
import { requireContext } from '../../src/terminal/cli/contexts.js';
import { CliError } from '../../src/terminal/cli/errors.js';

export default class ContextUse extends ContextCommand {
  static override summary = 'Choose the daemon that commands use by default';
  static override description =
    '--context, --url and their environment variables choose another daemon for a single command.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> production',
    '<%= config.bin %> <%= command.id %> --none',
  ];
  static override args = { context: Args.string({ description: 'name of the daemon' }) };
  static override flags = { none: Flags.boolean({ description: 'clear the current context' }) };

  async run(): Promise<{ current: string | null }> {
    const { args, flags } = await this.parse(ContextUse);
    if ((args.context === undefined) !== Boolean(flags.none)) {
      throw new CliError('usage', 'give either the name of a context or --none');
    }
    const known = await this.read();
    const current = args.context;
    const { url } = current === undefined ? { url: '' } : requireContext(known, current);
    await this.write({ current, contexts: known.contexts });
    if (!this.jsonEnabled()) {
      this.output.line(current === undefined ? 'no context is current' : `commands use ${current} (${url})`);
    }
    return { current: current ?? null };
  }
}
