import { Flags } from '@oclif/core';
import { CliError } from '../src/cli/cli-error.js';
import { DaemonCommand } from '../src/cli/daemon-command.js';
import { EXIT_CODES } from '../src/cli/exit-code.js';
import { clientIdArg, httpUrl } from '../src/cli/flags.js';
import { listenForInterrupt } from '../src/cli/interrupt.js';
import { pair } from '../src/cli/pair.js';
import { type PairRenderer, renderPairJson, renderPairLines } from '../src/cli/pair-lines.js';

export default class Pair extends DaemonCommand {
  static override summary = 'Link a number: scan the QR that it draws, or type a code on the phone';
  static override description =
    `Ends by itself when the number is connected, or when it is clear that it will not be.
With a workspace it then shows how the past of the number comes in; Ctrl+C leaves the rest to the daemon.
On a terminal the QR is drawn and renewed; in a pipe each step is a line; with --json each step is a JSON value.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --phone +15550000001',
    '<%= config.bin %> <%= command.id %> acme --org workspace1',
    '<%= config.bin %> <%= command.id %> acme --webhook https://example.com/hook --webhook-token s3cret',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r \'select(.type == "qr").qr\'',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    phone: Flags.string({ description: 'ask for an 8-character code for this phone number instead of a QR' }),
    org: Flags.string({
      description: 'keep the history of this workspace, with the past that the phone sends once it is linked',
    }),
    webhook: httpUrl({ description: "where the session's events go" }),
    'webhook-token': Flags.string({
      description: 'bearer token for the webhook',
      env: 'SWITCHBOARD_WEBHOOK_TOKEN',
    }),
    timeout: Flags.integer({
      description: 'seconds to wait for the number to be linked',
      default: 240,
      min: 1,
    }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Pair);
    const interrupt = listenForInterrupt();
    const client = await this.daemon(flags, interrupt.signal);
    const items = pair(client, {
      clientId: args.clientId,
      phone: flags.phone,
      orgId: flags.org,
      webhook: { webhookUrl: flags.webhook, webhookToken: flags['webhook-token'] },
      timeoutMs: flags.timeout * 1000,
      signal: interrupt.signal,
    });
    const end = await (await this.renderer(args.clientId))(items);
    interrupt.release();
    if (end.type === 'connected') return;
    process.exitCode = EXIT_CODES[end.code];
    if (!this.jsonEnabled()) throw new CliError(end.code, end.reason, { suggestions: end.suggestions });
  }

  private async renderer(clientId: string): Promise<PairRenderer> {
    if (this.jsonEnabled()) return renderPairJson(this.output);
    if (!process.stdout.isTTY) return renderPairLines(this.output);
    const { renderPairScreen } = await import('../src/tui/render-pair.js');
    return renderPairScreen(clientId);
  }
}
