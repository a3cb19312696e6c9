import { randomBytes } from 'node:crypto';
import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

const SECRET_BYTES = 32;

export default class SessionsSecret extends DaemonCommand {
  static override summary = 'Set or remove the API secret of a session';
  static override description =
    `The secret is an API token limited to this session. Without an argument, creates a secret and prints it \
once: the daemon stores only a hash.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    'pass show acme | <%= config.bin %> <%= command.id %> acme -',
    '<%= config.bin %> <%= command.id %> acme --remove',
  ];
  static override args = {
    clientId: clientIdArg(),
    secret: Args.string({ description: 'at least 16 characters; - reads standard input' }),
  };
  static override flags = {
    remove: Flags.boolean({ description: 'remove the secret; only the master token remains' }),
  };

  async run(): Promise<{
    clientId: string;
    hasSecret: boolean;
    /** The secret; only if this command created it. */
    secret?: string;
  }> {
    const { args, flags } = await this.parse(SessionsSecret);
    if (flags.remove && args.secret !== undefined)
      throw new CliError('usage', 'give either a secret or --remove');
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const given = args.secret === undefined ? undefined : await readArgument(args.secret);
    const made =
      flags.remove || given !== undefined ? undefined : randomBytes(SECRET_BYTES).toString('base64url');
    const client = await this.daemon(flags);
    const answer = await client.setApiSecret({ clientId: args.clientId, secret: made ?? given ?? '' });
    if (!this.jsonEnabled()) this.output.line(made ?? (answer.hasSecret ? 'secret set' : 'secret removed'));
    return { clientId: answer.clientId, hasSecret: answer.hasSecret, secret: made || undefined };
  }
}
