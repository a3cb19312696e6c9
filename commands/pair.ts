import { Flags } from '@oclif/core';
import type { DaemonClient } from '../src/terminal/cli/client.js';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../src/terminal/cli/errors.js';
import { clientIdArg, httpUrl, phoneNumber, proxyFlags } from '../src/terminal/cli/flags.js';
import { opening } from '../src/terminal/cli/open-browser.js';
import { type PairRenderer, pair, renderPairJson, renderPairLines } from '../src/terminal/cli/pair.js';
import { requireQrPath, withQrFile } from '../src/terminal/cli/qr-file.js';
import { listenForInterrupt } from '../src/terminal/cli/terminal.js';

export default class Pair extends DaemonCommand {
  static override summary = 'Link a phone number by QR code or pairing code';
  static override description =
    `Exits when the number is connected or pairing has failed; with 6 if the number was already linked. With a workspace, then shows the \
progress of the history import, which the daemon continues after Ctrl+C. On a terminal, draws the QR and renews it. In a pipe, prints one \
line per step; with --json, one JSON value per step. If WhatsApp asks for a passkey, prints instructions for the owner of the number. If \
the pairing fails or is interrupted, a session that it created is deleted again; an existing session stays.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --phone +15550000001',
    '<%= config.bin %> <%= command.id %> acme --link',
    '<%= config.bin %> <%= command.id %> acme --qr-file qr.png',
    '<%= config.bin %> <%= command.id %> acme --passkey-file answer.json',
    '<%= config.bin %> <%= command.id %> acme --org workspace1',
    '<%= config.bin %> <%= command.id %> acme --webhook https://example.com/hook --webhook-token s3cret',
    '<%= config.bin %> <%= command.id %> acme --proxy socks5://user:password@proxy.example.com:1080',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r \'select(.type == "qr").qr\'',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    phone: phoneNumber({
      description: 'show an 8-character pairing code for this phone number instead of a QR',
      exclusive: ['link', 'open'],
    }),
    link: Flags.boolean({
      description: 'print a one-time address where the owner of the number links it, and wait',
    }),
    open: Flags.boolean({
      description: 'print the one-time address of `--link`, and open it in the browser of this machine',
    }),
    'qr-file': Flags.string({
      description: 'also write the current QR to this new PNG or SVG file, until it is used or expires',
      helpValue: 'PATH',
      exclusive: ['phone', 'link', 'open'],
    }),
    'passkey-file': Flags.string({
      description: "file with the owner's answer if WhatsApp asks for a passkey; waits until it exists",
    }),
    org: Flags.string({
      description: 'workspace to keep the history in, including the history that the phone sends',
    }),
    'no-history': Flags.boolean({
      description: 'keep no messages, and show no warning about it',
      exclusive: ['org'],
    }),
    webhook: httpUrl({ description: "URL that receives the session's events" }),
    'webhook-token': Flags.string({
      description: 'bearer token and signing key of the webhook calls',
      env: 'SWITCHBOARD_WEBHOOK_TOKEN',
    }),
    ...proxyFlags(),
    timeout: Flags.integer({
      description: 'timeout in seconds; default 240, or 900 with --link or --open',
      min: 1,
    }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Pair);
    const qrFile = flags['qr-file'];
    if (qrFile !== undefined) await requireQrPath(qrFile);
    const interrupt = listenForInterrupt();
    const client = await this.daemon(flags, interrupt.signal);
    if (flags.org === undefined && !flags['no-history'] && !this.jsonEnabled()) {
      await this.noteHistory(client, args.clientId);
    }
    const items = pair(client, {
      clientId: args.clientId,
      phone: flags.phone,
      orgId: flags.org,
      webhook: { webhookUrl: flags.webhook, webhookToken: flags['webhook-token'] },
      proxy: flags.proxy,
      link: flags.link || flags.open,
      passkeyFile: flags['passkey-file'],
      timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1000,
      signal: interrupt.signal,
    });
    const written = qrFile === undefined ? items : withQrFile(items, qrFile);
    const shown = flags.open ? opening(written) : written;
    const end = await (await this.renderer(args.clientId, qrFile))(shown);
    interrupt.release();
    if (end.type === 'connected') {
      if (!end.already) return;
      process.exitCode = EXIT_CODES.conflict;
      this.output.note(`${args.clientId} was linked before; nothing was paired`);
      return;
    }
    process.exitCode = EXIT_CODES[end.code];
    if (!this.jsonEnabled()) throw new CliError(end.code, end.reason, { suggestions: end.suggestions });
  }

  /** Warns that history is off: the phone sends its past messages only once, after linking. */
  private async noteHistory(client: DaemonClient, clientId: string): Promise<void> {
    // ignore errors: the pairing fails in the same way, and says why
    const { clients } = await client.listClients().catch(() => ({ clients: undefined }));
    const session = clients?.find((one) => one.clientId === clientId);
    if (!clients || session?.orgId || session?.jid) return;
    this.output.note(
      `${clientId} will keep no messages. To keep them, and those on the phone, stop and add --org NAME (or --no-history)`,
    );
  }

  private async renderer(clientId: string, qrFile: string | undefined): Promise<PairRenderer> {
    if (this.jsonEnabled()) return renderPairJson(this.output);
    if (!process.stdout.isTTY) return renderPairLines(this.output, clientId);
    const { renderPairScreen } = await import('../src/terminal/tui/pair/pair-screen.js');
    return renderPairScreen(clientId, qrFile);
  }
}
