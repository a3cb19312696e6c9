import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SwitchboardError } from '../../client/call.js';
import type { SandboxClient, WriteRequest } from '../../client/sandbox/client.js';
import type { SeededChance } from '../../domain/chance.js';
import { systemClock, wait } from '../../domain/clock.js';
import { DaemonClient } from '../../terminal/cli/client.js';
import { CliError } from '../../terminal/cli/errors.js';
import { sendMedia } from '../../terminal/cli/send-media.js';
import type { Written } from './observations.js';
import type { Cast, DrillSession } from './people.js';

/** Timeout of a request in milliseconds, after which the caller repeats it, perhaps at another node. */
const PATIENCE_MS = 20_000;
/** Milliseconds between two requests of one send. */
const RETRY_MS = 250;
/** Every N-th message of a lane is a picture. */
const PICTURE_EVERY = 12;
/** Milliseconds between two messages of a lane, for three sessions; longer for more sessions. */
const PAUSES = {
  person: [600, 1_800],
  api: [800, 2_400],
  group: [2_000, 5_000],
  held: [3_500, 5_000],
} as const;
const USUAL_SESSIONS = 3;

/** A transparent picture of one pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export interface TrafficOptions {
  phones: SandboxClient;
  /** URLs of the daemons; callers use any of them. */
  daemons: readonly string[];
  token: string;
  cast: Cast;
  /** Jid of the group of the first two people and the first two sessions. */
  group: string;
  folder: string;
  chance: SeededChance;
}

/** One direction of a chat; its messages are written in order. */
interface Lane {
  name: string;
  pause: keyof typeof PAUSES;
  /** Writes one message. */
  write(token: string, isPicture: boolean): Promise<void>;
}

/** People write to sessions and to a group, and careful callers send through the API until each send has its final answer. */
export class Traffic {
  readonly written: Written[] = [];
  readonly #options: TrafficOptions;
  readonly #lanes: readonly Lane[];
  readonly #picture: string;
  readonly #noMore = new AbortController();
  readonly #giveUp = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  private constructor(options: TrafficOptions, picture: string) {
    this.#options = options;
    this.#picture = picture;
    // each request and each pause adds a listener
    setMaxListeners(0, this.#noMore.signal, this.#giveUp.signal);
    this.#lanes = [...this.#privateLanes(), ...this.#groupLanes(), this.#heldLane()];
  }

  static async prepare(options: TrafficOptions): Promise<Traffic> {
    const picture = join(options.folder, 'picture.png');
    await writeFile(picture, Buffer.from(PICTURE, 'base64'));
    return new Traffic(options, picture);
  }

  start(): void {
    this.#running = Promise.all(
      this.#lanes.map((lane) =>
        this.#run(lane).catch((error: unknown) => {
          this.#failure ??= error;
        }),
      ),
    );
  }

  /** The first failure of the traffic itself, such as a network that does not answer; undefined if there is none. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Starts no further messages; sends in flight continue. */
  end(): void {
    this.#noMore.abort();
  }

  /** Aborts sends without a final answer, which stay `unanswered`. Resolves when none is in flight. */
  async abandon(): Promise<void> {
    this.end();
    this.#giveUp.abort();
    await this.#running;
  }

  async #run(lane: Lane): Promise<void> {
    const { chance, cast } = this.#options;
    const [least, most] = PAUSES[lane.pause];
    const slower = Math.max(1, cast.sessions.length / USUAL_SESSIONS);
    for (let count = 1; ; count++) {
      await wait(systemClock, chance.between(least, most) * slower, this.#noMore.signal);
      if (this.#noMore.signal.aborted) return;
      await lane.write(`${lane.name} ${count}`, count % PICTURE_EVERY === 0 && lane.pause !== 'held');
    }
  }

  #privateLanes(): Lane[] {
    const { sessions, people } = this.#options.cast;
    return sessions.flatMap((session, index) => {
      const partners = [people[index % people.length], people[(index + 1) % people.length]];
      return partners.flatMap((person): Lane[] => {
        if (person === undefined) return [];
        const name = `${person} and ${session.clientId}`;
        return [
          {
            name: `${name}, received`,
            pause: 'person',
            write: (token, isPicture) =>
              this.#personWrites(person, session.number, [session.clientId], token, isPicture),
          },
          {
            name: `${name}, sent`,
            pause: 'api',
            write: (token, isPicture) =>
              this.#apiSends(session, person, { phones: [person], also: [] }, token, isPicture),
          },
        ];
      });
    });
  }

  #groupLanes(): Lane[] {
    const { group, cast } = this.#options;
    const [first, second] = cast.sessions;
    const members = cast.people.slice(0, 2);
    if (!first || !second) return [];
    const theirs = members.map(
      (person): Lane => ({
        name: `${person} in the group`,
        pause: 'group',
        write: (token, isPicture) =>
          this.#personWrites(person, group, [first.clientId, second.clientId], token, isPicture),
      }),
    );
    const ours: Lane = {
      name: `${first.clientId} in the group`,
      pause: 'group',
      write: (token, isPicture) =>
        this.#apiSends(
          first,
          group,
          { phones: [...members, second.number], also: [second.clientId] },
          token,
          isPicture,
        ),
    };
    return [...theirs, ours];
  }

  /** A lane of sends with `whenAllowed`, to people who have not written. */
  #heldLane(): Lane {
    const { sessions, strangers } = this.#options.cast;
    const session = sessions.at(-1);
    let count = 0;
    return {
      name: 'held',
      pause: 'held',
      write: async (token) => {
        const to = strangers[count++ % strangers.length];
        if (!session || to === undefined) return;
        await this.#apiSends(session, to, { phones: [to], also: [] }, token, false, true);
      },
    };
  }

  async #personWrites(
    person: string,
    to: string,
    sessions: string[],
    token: string,
    isPicture: boolean,
  ): Promise<void> {
    const message: Written = {
      token,
      way: 'received',
      sessions,
      lane: `${person} to ${to}`,
      at: Date.now(),
      messageId: undefined,
      outcome: 'accepted',
      answeredAt: undefined,
      phones: [],
    };
    this.written.push(message);
    const content: Omit<WriteRequest, 'to'> = isPicture
      ? { media: { kind: 'image', mimeType: 'image/png', base64: PICTURE, caption: token } }
      : { text: token };
    const { messageId } = await this.#options.phones.write(person, { to, ...content });
    message.messageId = messageId;
    message.answeredAt = Date.now();
  }

  /** Repeats the request with the same key until its answer is final. */
  async #apiSends(
    session: DrillSession,
    to: string,
    { phones, also }: { phones: string[]; also: string[] },
    token: string,
    isPicture: boolean,
    whenAllowed = false,
  ): Promise<void> {
    const { clientId } = session;
    const message: Written = {
      token,
      way: 'sent',
      sessions: [clientId, ...also],
      lane: `${clientId} to ${to}`,
      at: Date.now(),
      messageId: undefined,
      outcome: 'unanswered',
      answeredAt: undefined,
      phones,
    };
    this.written.push(message);
    while (!this.#giveUp.signal.aborted) {
      const isFinal = await this.#attempt(message, { clientId, to, isPicture, whenAllowed });
      if (isFinal) return;
      await wait(systemClock, RETRY_MS, this.#giveUp.signal);
    }
  }

  /** @returns whether the answer is final */
  async #attempt(
    message: Written,
    {
      clientId,
      to,
      isPicture,
      whenAllowed,
    }: { clientId: string; to: string; isPicture: boolean; whenAllowed: boolean },
  ): Promise<boolean> {
    const { daemons, token, chance } = this.#options;
    const url = daemons[chance.between(0, daemons.length - 1)] ?? '';
    const signal = AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), this.#giveUp.signal]);
    const client = new DaemonClient({ url, token, signal });
    const key = message.token;
    try {
      const answer = isPicture
        ? await this.#sendPicture(client, { clientId, to, caption: key })
        : await client.sendMessage(
            { clientId, to, body: key, whenAllowed: whenAllowed || undefined },
            { idempotencyKey: key },
          );
      message.messageId = answer.messageId;
      message.outcome = answer.status === 'held' ? 'held' : 'accepted';
    } catch (error) {
      if (!isRefusedByPolicy(error)) return false;
      message.outcome = 'refused';
    }
    message.answeredAt = Date.now();
    return true;
  }

  /** Uploads the picture. */
  #sendPicture(
    client: DaemonClient,
    { clientId, to, caption }: { clientId: string; to: string; caption: string },
  ) {
    const picture = { clientId, to, source: this.#picture, caption, asVoice: false, asSticker: false };
    return sendMedia(client, picture, { key: caption, quiet: true });
  }
}

function isRefusedByPolicy(error: unknown): boolean {
  const cause = error instanceof CliError ? error.cause : error;
  return cause instanceof SwitchboardError && cause.code === 'policy_refused';
}
