import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { proxyText } from '../../src/terminal/cli/sessions.js';

export default class SessionsProxy extends DaemonCommand {
  static override summary = 'Set or remove the proxy of a session';
  static override description =
    `All connections of the session to WhatsApp use its proxy. A live session reconnects at once. Needs the master token. Write special \
characters of the user and the password with %, such as %40 for @.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme socks5://user:password@proxy.example.com:1080',
    'pass show proxy | <%= config.bin %> <%= command.id %> acme -',
    '<%= config.bin %> <%= command.id %> acme --remove',
  ];
  static override args = {
    clientId: clientIdArg(),
    proxy: Args.string({ description: 'http, https or socks5 URL of the proxy; - reads standard input' }),
  };
  static override flags = {
    remove: Flags.boolean({ description: 'remove the proxy; the session then connects directly' }),
  };

  async run(): Promise<{ clientId: string; proxy?: { kind: string; host: string; port: number } }> {
    const { args, flags } = await this.parse(SessionsProxy);
    if (Boolean(flags.remove) === (args.proxy !== undefined)) {
      throw new CliError('usage', 'give either the URL of a proxy or --remove');
    }
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const wanted = args.proxy === undefined ? null : await readArgument(args.proxy);
    const client = await this.daemon(flags);
    const { clientId, proxy } = await client.setProxy({ clientId: args.clientId, proxy: wanted });
    if (!this.jsonEnabled()) {
      this.output.line(
        proxy ? `${clientId} connects through ${proxyText(proxy)}` : `${clientId} connects directly`,
      );
    }
    return { clientId, proxy };
  }
}
