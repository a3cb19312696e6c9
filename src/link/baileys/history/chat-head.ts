import { jidNormalizedUser } from '@whiskeysockets/baileys';
import { parseJid, personOf } from '../../../domain/address.js';
import type { HistoricPerson } from '../../port/history.js';
import type { Field } from './fields.js';

/** Numbers of the fields of a conversation that are read. */
export const MESSAGES_FIELD = 2;
const UNREAD_FIELD = 6;
const TEXT_FIELDS = {
  1: 'id',
  13: 'name',
  38: 'displayName',
  39: 'pnJid',
  42: 'lidJid',
  49: 'accountLid',
} as const;
/** Bytes of a jid or a name; longer ones are none. */
const MAX_TEXT_BYTES = 1_024;
/** What a phone may count as unread; beyond it is the mark "unread", or nonsense. */
const MAX_UNREAD = 100_000;

/** What a history says of a chat, beside its messages. */
export interface ChatHead {
  /** Jid; empty for what is no chat with people. */
  chat: string;
  chatAlt: string;
  /** Of a group. */
  subject: string;
  unread: number;
  /** The other side; undefined for a group. */
  person: HistoricPerson | undefined;
}

type TextField = (typeof TEXT_FIELDS)[keyof typeof TEXT_FIELDS];

/** Gathers the fields of a conversation, which stand before and behind its messages. */
export class ChatHeadReader {
  readonly #texts = new Map<TextField, string>();
  #unread = 0;

  /** True when the value of that field is wanted as bytes. */
  wants({ number, value, length }: Field): boolean {
    return value === undefined && length <= MAX_TEXT_BYTES && nameOf(number) !== undefined;
  }

  text({ number }: Field, bytes: Buffer): void {
    const name = nameOf(number);
    if (name) this.#texts.set(name, bytes.toString());
  }

  number({ number, value }: Field): void {
    if (number === UNREAD_FIELD && value !== undefined && value <= MAX_UNREAD) this.#unread = Number(value);
  }

  head(): ChatHead {
    const text = (name: TextField) => this.#texts.get(name) ?? '';
    const chat = parseJid(text('id')) ? jidNormalizedUser(text('id')) : '';
    const isGroup = parseJid(chat)?.kind === 'group';
    const person = personOf(chat, text('pnJid'), text('lidJid') || text('accountLid'));
    const name = text('name') || text('displayName');
    return {
      chat,
      chatAlt: isGroup ? '' : alternative(chat, text('pnJid'), text('lidJid') || text('accountLid')),
      subject: isGroup ? name : '',
      unread: this.#unread,
      person: chat && !isGroup ? { ...person, ...(name && { name }) } : undefined,
    };
  }
}

/** The chat's address of the other kind. */
function alternative(chat: string, ...jids: string[]): string {
  const kind = parseJid(chat)?.kind;
  const other = jids.find((jid) => {
    const address = parseJid(jid);
    return address && address.kind !== kind && address.kind !== 'group';
  });
  return other ? jidNormalizedUser(other) : '';
}

function nameOf(number: number): TextField | undefined {
  const entry = Object.entries(TEXT_FIELDS).find(([field]) => Number(field) === number);
  return entry?.[1];
}
