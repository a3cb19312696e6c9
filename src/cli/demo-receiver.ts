import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** A webhook receiver for trying things out, on a free port of this machine. */
export interface DemoReceiver {
  url: string;
  /** The event of a message, whether it came already or comes later. */
  eventOf(messageId: string): Promise<object>;
  stop(): Promise<void>;
}

/** Starts a receiver that checks the bearer token and keeps what it gets. */
export async function startDemoReceiver(token: string): Promise<DemoReceiver> {
  const events = new Map<string, object>();
  const waiting = new Map<string, (event: object) => void>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    const event: { messageId?: string } = JSON.parse(body);
    if (event.messageId) {
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
