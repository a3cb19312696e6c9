import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** A live stream as a client sees it. */
export interface EventListener {
  response: IncomingMessage;
  /** The next event, waiting for it. */
  next(): Promise<EventSourceMessage>;
  /** The next comment that begins so, waiting for it. */
  comment(beginning: string): Promise<string>;
  ended: Promise<unknown>;
}

/** Opens a live stream, on a connection of its own; resolves with its headers. */
export async function openEvents(url: string, headers: Record<string, string>): Promise<EventListener> {
  const request = httpGet(url, { agent: false, headers });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('no response');
  return listenTo(response);
}

function listenTo(response: IncomingMessage): EventListener {
  const messages = createInlet<EventSourceMessage>();
  const comments = createInlet<string>();
  const parser = createParser({ onEvent: messages.put, onComment: comments.put });
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => parser.feed(chunk));
  response.on('error', () => {});
  const ended = once(response, 'end').catch(() => undefined);
  return {
    response,
    next: messages.take,
    ended,
    async comment(beginning) {
      for (;;) {
        const comment = (await comments.take()).trim();
        if (comment.startsWith(beginning)) return comment;
      }
    },
  };
}

/** Values in the order in which they come, each taken once. */
function createInlet<Value>() {
  const values: Value[] = [];
  const takers: ((value: Value) => void)[] = [];
  return {
    put(value: Value): void {
      const taker = takers.shift();
      if (taker) taker(value);
      else values.push(value);
    },
    take(): Promise<Value> {
      const value = values.shift();
      if (value !== undefined) return Promise.resolve(value);
      return new Promise((resolve) => takers.push(resolve));
    },
  };
}
