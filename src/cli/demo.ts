import type { SandboxClient } from '../sandbox/client.js';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import { pair } from './pair.js';
import { ensurePhone } from './sandbox.js';

/** The two people of the demo: Alice's number is linked to the gateway, Bob is somebody she writes to. */
export const ALICE = { number: '+15550000001', name: 'Alice' };
export const BOB = { number: '+15550000002', name: 'Bob' };
export const DEMO_SESSION = 'demo';

const OUTGOING = 'Hello Bob, this came through the HTTP API.';
const ANSWER = 'Hello Alice, and this comes from my phone!';

export interface DemoOptions {
  client: DaemonClient;
  phones: SandboxClient;
  /** Where the session's events go; `eventOf` resolves with the event of a message. */
  webhook: { url: string; token: string; eventOf(messageId: string): Promise<object> };
  signal: AbortSignal;
}

/** A step of the demo, as it happens. */
export type DemoItem =
  | { type: 'step'; text: string }
  | { type: 'qr'; qr: string }
  | { type: 'connected'; jid: string }
  | { type: 'on-phone'; name: string; text: string; messageId: string }
  | { type: 'webhook'; event: object };

/** The gateway's main job, for real: pair, send, receive. @throws CliError when a step fails. */
export async function* demo(options: DemoOptions): AsyncGenerator<DemoItem> {
  const { phones } = options;
  yield step('two people with simulated phones: Alice and Bob');
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
  const sent = await client.send('/send-message', { clientId: DEMO_SESSION, to: BOB.number, body: OUTGOING });
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
