import { readContent } from '../../kinds/index.js';
import type { Reading, StoredType } from '../../kinds/kind.js';
import { isSilent } from '../../kinds/silent.js';
import { unknownName } from '../../kinds/unknown.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import type { Arrivals } from './arrivals.js';
import { type Opener, sealedPart } from './open.js';
import { type Parties, roomIdOf } from './parties.js';
import type { PollOptions } from './poll-options.js';
import { readVote } from './votes.js';

/** A message that was read: what it says, after whatever was encrypted in it was opened. */
export interface Read {
  message: IncomingMessage;
  reading: Reading;
  /** Undefined when it changes an earlier message and is no row of its own. */
  storedType: StoredType | undefined;
}

export interface ReaderOptions {
  arrivals: Arrivals;
  opener: Opener;
  pollOptions: PollOptions;
  observer: { unknownKind(name: string): void };
  log: Logger;
}

/** Opens what is encrypted once more in a message, and reads it by its kind. */
export class Reader {
  readonly #options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** @returns `silent` when there is nothing in it to tell, `interrupted` when the gateway stopped first. */
  async read(
    session: SessionRecord,
    message: IncomingMessage,
    parties: Parties,
  ): Promise<Read | 'silent' | 'interrupted'> {
    const sealed = sealedPart(message.content);
    if (!sealed) return this.#readPlain(message);
    const { opener, arrivals, pollOptions, log } = this.#options;
    await arrivals.settled(session.clientId, sealed.targetId);
    const opened = await opener.open(session, message, parties, sealed);
    if (opened?.type !== 'vote') return this.#readPlain(opened ? { ...message, ...opened } : message);
    const { lid = '', pn = '' } = parties.author;
    const cast = { ...opened, voter: lid || pn };
    const pollVote = await readVote(session, roomIdOf(session, parties.remote), cast, { pollOptions, log });
    if (!pollVote) return 'interrupted';
    const body = pollVote.selectedOptions.join(', ');
    return {
      message,
      reading: { type: 'vote_update', body, extra: { pollVote } },
      storedType: 'vote_update',
    };
  }

  #readPlain(message: IncomingMessage): Read | 'silent' {
    if (isSilent(message.content)) return 'silent';
    const { kind, reading } = readContent(message.content);
    if (!kind) this.#options.observer.unknownKind(unknownName(message.content));
    return { message, reading, storedType: kind ? kind.storedType : 'chat' };
  }
}

/** Others will want to know of it: it is a message of its own, and can be read without knowing another. */
export function isRemembered({ content }: Pick<IncomingMessage, 'content'>): boolean {
  if (isSilent(content) || sealedPart(content)) return false;
  const { kind } = readContent(content);
  return !kind || kind.storedType !== undefined;
}
