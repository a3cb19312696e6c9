import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ExtraEventType, GatewayEvent } from '../../src/contract/events/catalogue.js';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';

/** A call as a receiver saw it. */
export interface ReceivedCall {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Answers a call; `index` counts the calls from 0. One that never ends the response keeps its caller waiting. */
export type Respond = (response: ServerResponse, call: ReceivedCall, index: number) => void;

/** A webhook receiver on a port of its own. */
export interface TestReceiver {
  url: string;
  port: number;
  calls: ReceivedCall[];
  /** Resolves when it has got so many calls. */
  received(count: number): Promise<void>;
  /** The first call that fits, whether it came already or comes later. */
  find(fits: (call: ReceivedCall) => boolean): Promise<ReceivedCall>;
  /** Changes how calls are answered from now on. */
  respond(respond: Respond): void;
  /** Cuts all connections. */
  stop(): Promise<void>;
}

/** Answers the calls with these statuses, one after the other, and from then on with the last. */
export function answering(...statuses: number[]): Respond {
  return (response, _call, index) => {
    response.statusCode = statuses[Math.min(index, statuses.length - 1)] ?? 200;
    response.end();
  };
}

/** Never answers. */
export const silent: Respond = () => {};

/** Starts a receiver. */
export async function startReceiver(
  respond: Respond = answering(200),
  host = '127.0.0.1',
): Promise<TestReceiver> {
  const calls: ReceivedCall[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  let current = respond;
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const call = { method, path: url, headers, body: await text(request) };
    calls.push(call);
    current(response, call, calls.length - 1);
    for (const waiter of waiters) if (calls.length >= waiter.count) waiter.resolve();
  });
  const port = await listen(server, host);
  const received = (count: number): Promise<void> => {
    if (calls.length >= count) return Promise.resolve();
    return new Promise((resolve) => waiters.push({ count, resolve }));
  };
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    calls,
    received,
    async find(fits) {
      for (let seen = 0; ; ) {
        for (; seen < calls.length; seen++) {
          const call = calls[seen];
          if (call && fits(call)) return call;
        }
        await received(seen + 1);
      }
    },
    respond(next) {
      current = next;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The port the system chose. */
function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      if (address && typeof address === 'object') resolve(address.port);
      else reject(new Error('the receiver has no port'));
    });
  });
}

/** The event of a call, as the receiver got it; undefined when it is none. */
export function eventIn({ body }: ReceivedCall): EventEnvelope | undefined {
  if (!body.startsWith('{"event":')) return undefined;
  const event: EventEnvelope = JSON.parse(body);
  return event;
}

/** The first event of a message that the receiver got, or gets. */
export async function eventOf(receiver: TestReceiver, messageId: string): Promise<EventEnvelope> {
  const call = await receiver.find((candidate) => eventIn(candidate)?.messageId === messageId);
  const event = eventIn(call);
  if (!event) throw new Error('unreachable: the call was found by its event');
  return event;
}

/** The events that the receiver has got of a message. */
export function eventsOf(receiver: TestReceiver, messageId: string): EventEnvelope[] {
  return receiver.calls.flatMap((call) => {
    const event = eventIn(call);
    return event?.messageId === messageId ? [event] : [];
  });
}

/** The first opt-in event of a type that fits, whether the receiver got it already or gets it later. */
export async function extraEventOf<Type extends ExtraEventType>(
  receiver: TestReceiver,
  type: Type,
  fits: (event: Extract<GatewayEvent, { type: Type }>) => boolean,
): Promise<Extract<GatewayEvent, { type: Type }>> {
  const found = (call: ReceivedCall) => extraEventsIn([call], type).find(fits);
  const event = found(await receiver.find((call) => found(call) !== undefined));
  if (!event) throw new Error('unreachable: the call was found by its event');
  return event;
}

/** The opt-in events of a type in calls. */
export function extraEventsIn<Type extends ExtraEventType>(
  calls: readonly ReceivedCall[],
  type: Type,
): Extract<GatewayEvent, { type: Type }>[] {
  return calls.flatMap(({ headers, body }) => (headers['x-sn-event'] === type ? [JSON.parse(body)] : []));
}
