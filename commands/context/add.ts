import { Flags } from '@oclif/core';
import { ContextCommand, contextArg } from '../../src/terminal/cli/context-command.js';
import { requireContextName } from '../../src/terminal/cli/contexts.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { httpUrl } from '../../src/terminal/cli/flags.js';
import { askSecret, readArgument } from '../../src/terminal/cli/terminal.js';

export default class ContextAdd extends ContextCommand {
  static override summary = 'Add a named daemon, or change it';
  static override description =
    `Stores URL and token in this user's configuration folder, readable by nobody else. On a terminal, asks for the token, so that the \
shell history does not contain it; --token - reads it from standard input. Without a new token, a daemon with the same URL keeps its \
token; --token "" removes it. Without a token, commands use the one in the data directory of a daemon on this machine.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> production --url https://gateway.example.com --use',
    'pass show gateway | <%= config.bin %> <%= command.id %> production --url https://gateway.example.com --token -',
  ];
  static override args = { context: contextArg() };
  static override flags = {
    url: httpUrl({ description: 'URL of the daemon', helpValue: 'URL', required: true }),
    token: Flags.string({ description: 'API token; - reads standard input', helpValue: 'TOKEN' }),
    use: Flags.boolean({ description: 'make it the current context' }),
  };

  async run(): Promise<{ context: string; url: string; hasToken: boolean; isCurrent: boolean }> {
    const { args, flags } = await this.parse(ContextAdd);
    const { context } = args;
    requireContextName(context);
    const known = await this.read();
    const former = known.contexts[context];
    const kept = former?.url === flags.url ? (former.token ?? '') : '';
    const token = await tokenOf(flags.token, kept, this.jsonEnabled());
    const added = { url: flags.url, token: token || undefined };
    const current = flags.use ? context : known.current;
    const contexts = { ...known.contexts, [context]: added };
    await this.write({ current, contexts });
    const isCurrent = current === context;
    if (!this.jsonEnabled()) {
      this.output.line(`${context} is ${flags.url}`);
      if (former && former.url !== flags.url) this.output.note(`${context} was ${former.url} before`);
      if (former?.token && !token) this.output.note(`${context} has no token any more`);
      if (!isCurrent) this.output.note(`use it: switchboard context use ${context}`);
    }
    return { context, url: flags.url, hasToken: token !== '', isCurrent };
  }
}

/** The token; empty if there is none. @param kept the previous token, used if no other is given @throws CliError `usage` if it has spaces */
async function tokenOf(given: string | undefined, kept: string, isJson: boolean): Promise<string> {
  const asks = given === undefined && !isJson && process.stdin.isTTY && process.stderr.isTTY;
  const answer = asks && (await askSecret(`token (empty ${kept ? 'keeps it' : 'for none'}):`));
  const token = answer ? answer.trim() : given === undefined ? kept : (await readArgument(given)).trim();
  if (!/\s/.test(token)) return token;
  throw new CliError('usage', 'the token must be one word');
}
