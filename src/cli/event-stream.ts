import type { IncomingMessage } from 'node:http';
import type { EventSourceMessage } from 'eventsource-parser';
import { StreamReader } from '../events/stream-text.js';

/** A daemon sends something, if only a comment, more often than this (milliseconds); else the connection is dead. */
const SILENCE_MS = 90_000;

/**
 * The server-sent events of an answer, until it ends.
 * @param began is told the id from which to go on when the connection is cut before the first event
 * @throws when the connection is cut or has fallen silent.
 */
export async function* readEvents(
  response: IncomingMessage,
  began: (id: string) => void = () => undefined,
): AsyncGenerator<EventSourceMessage> {
  const arrived: EventSourceMessage[] = [];
  const reader = new StreamReader({ onEvent: (message) => arrived.push(message), onBeginning: began });
  response.setEncoding('utf8');
  response.setTimeout(SILENCE_MS, () => response.destroy(new Error('the daemon has fallen silent')));
  for await (const chunk of response) {
    reader.feed(chunk);
    yield* arrived.splice(0);
  }
}
