import { randomBytes } from 'node:crypto';
import { Args, Flags } from '@oclif/core';
import { CliError } from '../../src/cli/cli-error.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';

const SECRET_BYTES = 32;

interface SecretResult {
  clientId: string;
  hasSecret: boolean;
  /** Only when it was made here. */
  secret?: string;
}

export default class SessionsSecret extends DaemonCommand {
  static override summary = 'Give a session an API secret of its own, or take it away';
  static override description =
    `Whoever has the secret can use this session and no other. Without an argument a new
one is made and printed, once: the daemon keeps only a hash of it.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    'pass show acme | <%= config.bin %> <%= command.id %> acme -',
    '<%= config.bin %> <%= command.id %> acme --remove',
  ];
  static override args = {
    clientId: clientIdArg(),
    secret: Args.string({ description: '- reads it from standard input, at least 16 characters' }),
  };
  static override flags = {
    remove: Flags.boolean({ description: 'only the master token opens the session' }),
  };

  async run(): Promise<SecretResult> {
    const { args, flags } = await this.parse(SessionsSecret);
    if (flags.remove && args.secret !== undefined)
      throw new CliError('usage', 'name either a secret or --remove');
    const { readArgument } = await import('../../src/cli/stdin.js');
    const given = args.secret === undefined ? undefined : await readArgument(args.secret);
    const made =
      flags.remove || given !== undefined ? undefined : randomBytes(SECRET_BYTES).toString('base64url');
    const client = await this.daemon(flags);
    const answer = await client.setApiSecret(args.clientId, made ?? given ?? '');
    if (!this.jsonEnabled()) this.output.line(made ?? (answer.hasSecret ? 'secret set' : 'secret removed'));
    return { clientId: answer.clientId, hasSecret: answer.hasSecret, ...(made && { secret: made }) };
  }
}
