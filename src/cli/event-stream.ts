import type { IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** A daemon sends something, if only a comment, more often than this (milliseconds); else the connection is dead. */
const SILENCE_MS = 90_000;

/** The server-sent events of an answer, until it ends. @throws when the connection is cut or has fallen silent. */
export async function* readEvents(response: IncomingMessage): AsyncGenerator<EventSourceMessage> {
  const arrived: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => arrived.push(message) });
  response.setEncoding('utf8');
  response.setTimeout(SILENCE_MS, () => response.destroy(new Error('the daemon has fallen silent')));
  for await (const chunk of response) {
    parser.feed(chunk);
    yield* arrived.splice(0);
  }
}
