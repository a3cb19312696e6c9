import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Flags } from '@oclif/core';
import type { Daemon } from '../src/index.js';
import { DaemonClient } from '../src/terminal/cli/client.js';
import { BaseCommand } from '../src/terminal/cli/command.js';
import type { DemoItem } from '../src/terminal/cli/demo.js';
import { type Interrupt, listenForInterrupt } from '../src/terminal/cli/terminal.js';

export default class Demo extends BaseCommand {
  static override summary = 'Run the gateway on a simulated network: pair, send, receive';
  static override description =
    `Starts a daemon with the embedded store and the sandbox network, in a temporary folder and on free ports. Links a simulated phone by \
QR, sends a message to a second phone over the HTTP API, and shows the reply as the event that a webhook receives. Only the network is \
simulated: the protocol library, the encryption, the WebSocket and the webhook call are the real ones.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --keep',
    '<%= config.bin %> <%= command.id %> --json | jq .type',
  ];
  static override flags = {
    keep: Flags.boolean({
      description: 'keep the gateway running afterwards, until Ctrl+C',
    }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { flags } = await this.parse(Demo);
    const interrupt = listenForInterrupt();
    const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-demo-'));
    const token = randomBytes(32).toString('base64url');
    const daemon = await startDaemon(dataDir, token);
    try {
      await this.#play(daemon, token, interrupt);
      if (flags.keep) {
        this.#showNextSteps(daemon, token);
        await interrupt.aborted;
      }
    } finally {
      interrupt.release();
      await daemon.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
    // timers of the protocol library keep the process alive for up to 30 s
    this.exit();
  }

  /** Runs the demo, and `switchboard tail` in parallel. */
  async #play(daemon: Daemon, token: string, interrupt: Interrupt): Promise<void> {
    const { demo } = await import('../src/terminal/cli/demo.js');
    const { startDemoReceiver } = await import('../src/terminal/cli/demo.js');
    const { SandboxClient } = await import('../src/client/sandbox/client.js');
    const webhookToken = randomBytes(16).toString('hex');
    const receiver = await startDemoReceiver(webhookToken);
    const client = new DaemonClient({ url: daemon.url, token, signal: interrupt.signal });
    const ended = new AbortController();
    const signal = AbortSignal.any([interrupt.signal, ended.signal]);
    const tailing = this.#tail(client, signal);
    try {
      await tailing.open;
      const phones = new SandboxClient(daemon.sandboxUrl ?? '');
      const webhook = { ...receiver, token: webhookToken };
      for await (const item of demo({ client, phones, webhook, signal: interrupt.signal }))
        await this.#show(item);
      await this.#show({ type: 'step', text: 'done: pair, send and receive work' });
    } finally {
      ended.abort();
      await tailing.ended;
      await receiver.stop();
    }
  }

  #tail(client: DaemonClient, signal: AbortSignal): { open: Promise<void>; ended: Promise<void> } {
    let opened: () => void = () => undefined;
    const open = new Promise<void>((resolve) => {
      opened = resolve;
    });
    return { open, ended: this.#followTail(client, signal, opened).finally(opened) };
  }

  async #followTail(client: DaemonClient, signal: AbortSignal, opened: () => void): Promise<void> {
    const { tail } = await import('../src/terminal/cli/tail.js');
    const { tailLine } = await import('../src/terminal/cli/tail-lines.js');
    for await (const item of tail(client, { signal })) {
      if (item.type === 'open') opened();
      if (item.type !== 'entry') continue;
      if (this.jsonEnabled()) this.output.json({ type: 'tail', id: item.id, entry: item.entry });
      else
        this.output.line(
          `${this.output.paint('dim', '  tail │')} ${tailLine(item.entry, this.output.paint)}`,
        );
    }
  }

  async #show(item: DemoItem): Promise<void> {
    if (this.jsonEnabled()) {
      this.output.json(item);
      return;
    }
    const { demoLines } = await import('../src/terminal/cli/demo.js');
    const { qrText } = await import('../src/terminal/tui/pair/qr.js');
    const draw = async (qr: string) => qrText(qr).lines.join('\n');
    this.output.block(await demoLines(item, this.output.paint, draw));
  }

  #showNextSteps(daemon: Daemon, token: string): void {
    const lines = [
      '',
      'Running until Ctrl+C. In another terminal:',
      `  export SWITCHBOARD_URL=${daemon.url} SWITCHBOARD_TOKEN=${token}`,
      `  export SWITCHBOARD_SANDBOX_URL=${daemon.sandboxUrl}`,
      '  switchboard tail',
      '  switchboard send text demo +15550000002 "Hello again"',
      '  switchboard sandbox say +15550000002 +15550000001 "Hi!"',
    ];
    if (!this.jsonEnabled()) for (const line of lines) this.output.line(line);
  }
}

async function startDaemon(dataDir: string, token: string): Promise<Daemon> {
  const { createDaemon, loadConfig } = await import('../src/index.js');
  const flags = { dataDir, token, port: 0, network: 'sandbox', sandboxPort: 0, logLevel: 'error' };
  return createDaemon(await loadConfig({ flags, env: {}, defaultDataDir: dataDir }));
}
