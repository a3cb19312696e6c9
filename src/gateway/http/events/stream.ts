import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Characters of one event or unfinished line; a daemon writes far fewer. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** The first comment of a stream, with the position of the daemon. */
const BEGINNING = /^ ?connected at (\S+)$/;

/** The first lines of a stream. A client that is cut off before the first event resumes from this position. */
export function beginning(id: string): string {
  return `: connected at ${id}\nid: ${id}\n\n`;
}

interface StreamListener {
  onEvent(message: EventSourceMessage): void;
  /** Called with the position to resume from before the first event. */
  onBeginning?(id: string): void;
}

/** Parses the text of a live stream. */
export class StreamReader {
  readonly #parser;
  /** Characters since the last event or comment. */
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

  /** Calls the listener for each event that the text completes. @throws when an event is too large */
  feed(text: string): void {
    this.#characters += text.length;
    this.#parser.feed(text);
    if (this.#characters > MAX_CHARACTERS) throw new Error('the daemon does not send a stream of events');
  }
}
