import { ContextCommand, contextArg } from '../../src/terminal/cli/context-command.js';
import { requireContext } from '../../src/terminal/cli/contexts.js';

export default class ContextRemove extends ContextCommand {
  static override summary = 'Remove a named daemon and its token from this machine';
  static override description = 'Does not change the daemon itself, or the token that it accepts.';
  static override examples = ['<%= config.bin %> <%= command.id %> production'];
  static override args = { context: contextArg() };

  async run(): Promise<{ removed: string }> {
    const { args } = await this.parse(ContextRemove);
    const known = await this.read();
    requireContext(known, args.context);
    const { [args.context]: _, ...contexts } = known.contexts;
    const { current } = known;
    await this.write({
      current: current !== undefined && current !== args.context ? current : undefined,
      contexts,
    });
    if (!this.jsonEnabled()) this.output.line(`removed ${args.context}`);
    return { removed: args.context };
  }
}
