import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Characters of one event, and of a line that has not ended yet; a daemon writes far fewer. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** What a daemon says first, with its place in the stream. */
const BEGINNING = /^ ?connected at (\S+)$/;

/** Tells the place in the stream, so that a client whose connection is cut before the first entry misses nothing. */
export function beginning(id: string): string {
  return `: connected at ${id}\nid: ${id}\n\n`;
}

export interface StreamListener {
  onEvent(message: EventSourceMessage): void;
  /** The id from which to go on when the connection is cut before the first event. */
  onBeginning?(id: string): void;
}

/** Reads the text of a live stream, as it comes. */
export class StreamReader {
  readonly #parser;
  /** Since the last event or comment. */
  #characters = 0;

  constructor({ onEvent, onBeginning }: StreamListener) {
    this.#parser = createParser({
      onEvent: (message) => {
        this.#characters = 0;
        onEvent(message);
      },
      onComment: (comment) => {
        this.#characters = 0;
        const id = BEGINNING.exec(comment)?.[1];
        if (id) onBeginning?.(id);
      },
    });
  }

  /** Calls back for what the text completes. @throws when an event is larger than any daemon's */
  feed(text: string): void {
    this.#characters += text.length;
    this.#parser.feed(text);
    if (this.#characters > MAX_CHARACTERS) throw new Error('what the daemon sends is no stream of events');
  }
}
