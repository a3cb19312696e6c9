import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SandboxClient } from '../../client/sandbox/client.js';
import { parseObject } from '../../domain/json.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import type { Paint } from './output.js';
import { pair } from './pair.js';
import { ensurePhone } from './sandbox.js';

/** Alice's number is linked to the gateway; Bob is her contact. */
export const ALICE = { number: '+15550000001', name: 'Alice' };
export const BOB = { number: '+15550000002', name: 'Bob' };
export const DEMO_SESSION = 'demo';

const OUTGOING = 'Hello Bob, this came through the HTTP API.';
const ANSWER = 'Hello Alice, and this comes from my phone!';

export interface DemoOptions {
  client: DaemonClient;
  phones: SandboxClient;
  /** `eventOf` resolves with the event of a message. */
  webhook: { url: string; token: string; eventOf(messageId: string): Promise<object> };
  signal: AbortSignal;
}

export type DemoItem =
  | { type: 'step'; text: string }
  | { type: 'qr'; qr: string }
  | { type: 'connected'; jid: string }
  | { type: 'on-phone'; name: string; text: string; messageId: string }
  | { type: 'webhook'; event: object };

/** Pairs a session, sends a message and receives one. @throws CliError if a step fails */
export async function* demo(options: DemoOptions): AsyncGenerator<DemoItem> {
  const { phones } = options;
  yield step('two simulated phones: Alice and Bob');
  for (const { number, name } of [ALICE, BOB]) await ensurePhone(phones, number, name);
  yield* pairAlice(options);
  yield* sendToBob(options);
  yield* answerFromBob(options);
}

async function* pairAlice({ client, phones, webhook, signal }: DemoOptions): AsyncGenerator<DemoItem> {
  yield step(`switchboard pair ${DEMO_SESSION}: Alice's phone scans the QR in the terminal`);
  const settings = { webhookUrl: webhook.url, webhookToken: webhook.token };
  let scanned = false;
  for await (const item of pair(client, { clientId: DEMO_SESSION, webhook: settings, signal })) {
    if (item.type === 'qr' && !scanned) {
      scanned = true;
      yield item;
      await phones.scan(ALICE.number, item.qr);
    }
    if (item.type === 'connected') yield item;
    if (item.type === 'failed') throw new CliError(item.code, item.reason, { suggestions: item.suggestions });
  }
}

async function* sendToBob({ client, phones }: DemoOptions): AsyncGenerator<DemoItem> {
  yield step('POST /send-message: the text is encrypted for Bob and decrypted on his phone');
  const sent = await client.sendMessage({ clientId: DEMO_SESSION, to: BOB.number, body: OUTGOING });
  const held = await phones.waitForMessage(BOB.number, ({ messageId }) => messageId === sent.messageId);
  yield { type: 'on-phone', name: BOB.name, text: held.text, messageId: sent.messageId };
}

async function* answerFromBob({ phones, webhook }: DemoOptions): AsyncGenerator<DemoItem> {
  yield step('Bob answers: the webhook receiver gets the event');
  const { messageId } = await phones.write(BOB.number, { to: ALICE.number, text: ANSWER });
  yield { type: 'webhook', event: await webhook.eventOf(messageId) };
}

function step(text: string): DemoItem {
  return { type: 'step', text };
}

/** Starts a receiver that checks the bearer token and keeps the events. */
export async function startDemoReceiver(token: string): Promise<{
  url: string;
  /** Resolves with the event of a message, now or when it arrives. */
  eventOf(messageId: string): Promise<object>;
  stop(): Promise<void>;
}> {
  const events = new Map<string, object>();
  const waiting = new Map<string, (event: object) => void>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    const event = parseObject(body);
    if (typeof event?.messageId === 'string') {
      events.set(event.messageId, event);
      waiting.get(event.messageId)?.(event);
    }
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    eventOf: (messageId) => {
      const event = events.get(messageId);
      return event ? Promise.resolve(event) : new Promise((resolve) => waiting.set(messageId, resolve));
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A step of the demo as text. */
export async function demoLines(
  item: DemoItem,
  paint: Paint,
  drawQr: (qr: string) => Promise<string>,
): Promise<string> {
  switch (item.type) {
    case 'step':
      return `\n${paint('bold', `▸ ${item.text}`)}`;
    case 'qr':
      return drawQr(item.qr);
    case 'connected':
      return `  ${paint('green', '✓')} linked and connected as ${item.jid}`;
    case 'on-phone':
      return `  ${paint('green', '✓')} ${item.name}'s phone shows: “${item.text}” ${paint('dim', item.messageId)}`;
    case 'webhook':
      return `  ${paint('green', '✓')} POST /webhook\n${indent(JSON.stringify(item.event, null, 2))}`;
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
