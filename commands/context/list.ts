import { ContextCommand } from '../../src/terminal/cli/context-command.js';

interface ListedContext {
  context: string;
  url: string;
  hasToken: boolean;
  isCurrent: boolean;
}

export default class ContextList extends ContextCommand {
  static override summary = 'List the named daemons';
  static override description = 'Marks the daemon that commands use by default. Never prints tokens.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json | jq -r ".contexts[].context"',
  ];

  async run(): Promise<{ contexts: ListedContext[] }> {
    await this.parse(ContextList);
    const known = await this.read();
    const contexts = Object.entries(known.contexts).map(([context, { url, token }]) => {
      return { context, url, hasToken: token !== undefined, isCurrent: context === known.current };
    });
    contexts.sort((a, b) => a.context.localeCompare(b.context));
    if (!this.jsonEnabled()) await this.show(contexts);
    return { contexts };
  }

  private async show(contexts: readonly ListedContext[]): Promise<void> {
    if (contexts.length === 0) {
      return this.output.note('no contexts yet; add one: switchboard context add NAME --url URL');
    }
    const rows = contexts.map(({ context, url, hasToken, isCurrent }) => [
      context,
      isCurrent ? this.output.paint('green', '✓') : '',
      url,
      hasToken ? 'kept' : '',
    ]);
    await this.output.table(['CONTEXT', 'CURRENT', 'URL', 'TOKEN'], rows);
  }
}
