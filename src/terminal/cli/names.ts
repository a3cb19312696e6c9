import type { ChatRoom, GroupListItem } from '../../contract/index.js';
import { parseJid } from '../../domain/address.js';
import { plainLine } from '../../domain/text.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import type { NameKind } from './name-inputs.js';

/** A chat with a name. */
export interface NamedChat {
  name: string;
  jid: string;
}

/** Whether the chat is with one person, who may have chosen the name: rooms do not tell whether it is from the address book. */
export function isOfPerson({ jid }: NamedChat): boolean {
  return parseJid(jid)?.kind !== 'group';
}

/** Most candidates in an error. */
const SHOWN = 5;

/** Finds chats of one session by name; asks the daemon only once. */
export class NameFinder {
  readonly #client: DaemonClient;
  readonly #clientId: string;
  #chats: Promise<NamedChat[]> | undefined;

  constructor(client: DaemonClient, clientId: string) {
    this.#client = client;
    this.#clientId = clientId;
  }

  /**
   * The chat with this whole name, ignoring case. A part of a name is not enough, because a sent message cannot be taken
   * back.
   * @throws CliError `not_found`; `usage` if several have the name
   */
  async find(name: string, kind: NameKind): Promise<NamedChat> {
    const chats = await this.all(kind);
    const wanted = folded(name);
    const same = chats.filter((chat) => folded(chat.name) === wanted);
    const [only, ...others] = same;
    if (only && others.length === 0) return only;
    if (only) {
      throw new CliError(
        'usage',
        `${same.length} chats of ${this.#clientId} have the name ${name}: give the address`,
        {
          suggestions: same.slice(0, SHOWN).map(described),
        },
      );
    }
    const near = chats.filter((chat) => folded(chat.name).includes(wanted));
    throw new CliError('not_found', `${this.#clientId} has no ${kind} with the name ${name}`, {
      suggestions: [
        ...near.slice(0, SHOWN).map((chat) => `did you mean ${described(chat)}`),
        `${near.length > 0 ? 'or ' : ''}give the address: +phone, LID digits or jid`,
      ],
    });
  }

  /** The rooms of the hosted inbox and the groups of the number, by name. */
  async all(kind: NameKind): Promise<NamedChat[]> {
    this.#chats ??= this.#load();
    return (await this.#chats).filter(({ jid }) => fits(jid, kind));
  }

  async #load(): Promise<NamedChat[]> {
    const clientId = this.#clientId;
    const asked = await Promise.allSettled([
      this.#client.listChatRooms({ clientId }).then(({ chatRooms }) => chatRooms.map(namedRoom)),
      // asks the network: fails while the session is not connected
      this.#client.listGroups({ clientId }).then(({ groups }) => groups.map(namedGroup)),
    ]);
    const known = asked.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [rooms, groups] = asked;
    if (known.length === 0 && rooms.status === 'rejected') throw rooms.reason;
    if (known.length === 0 && groups.status === 'rejected') throw groups.reason;
    const byJid = new Map(
      known.filter(({ name, jid }) => name !== '' && jid !== '').map((chat) => [chat.jid, chat]),
    );
    return [...byJid.values()].sort((a, b) => a.name.localeCompare(b.name));
  }
}

function namedRoom({ name, remoteJid }: ChatRoom): NamedChat {
  return { name: plainLine(name), jid: remoteJid };
}

function namedGroup({ name, jid }: GroupListItem): NamedChat {
  return { name: plainLine(name), jid };
}

function fits(jid: string, kind: NameKind): boolean {
  const address = parseJid(jid);
  return address !== undefined && (kind === 'chat' || (address.kind === 'group') === (kind === 'group'));
}

function folded(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

function described({ name, jid }: NamedChat): string {
  return `${name}: ${jid}`;
}
