import express from 'express';
import { SwitchboardClient } from 'switchboard-gateway/client';
import { verifyWebhook } from 'switchboard-gateway/events';

const MOST_SEEN = 10_000;

/** A bot that greets everybody who writes to it. */
export function createBot({ gatewayUrl, gatewayToken, webhookToken }) {
  const gateway = new SwitchboardClient({ url: gatewayUrl, token: gatewayToken });
  const seen = new Set();
  const app = express();

  // raw, because the signature is that of the bytes
  app.post('/webhook', express.raw({ type: '*/*', limit: '10mb' }), (request, response) => {
    let event;
    try {
      event = verifyWebhook({ headers: request.headers, body: request.body, token: webhookToken });
    } catch {
      response.sendStatus(401);
      return;
    }
    // the gateway waits 15 seconds at most: answer before the work
    response.sendStatus(204);
    greet(event).catch((error) => console.error('no greeting:', error.message));
  });

  async function greet(event) {
    if (event.type !== 'text' || event.fromMe || event.isGroup) return;
    // an event can come twice
    if (seen.has(event.messageId)) return;
    seen.add(event.messageId);
    if (seen.size > MOST_SEEN) seen.delete(seen.values().next().value);
    const body = `Hello ${event.remoteName}, you wrote: ${event.body}`;
    await gateway.sendMessage({ clientId: event.clientId, to: event.clientLid, body });
  }

  return app;
}
