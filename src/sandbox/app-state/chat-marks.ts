import type { ChatMutation } from '@whiskeysockets/baileys';
import type { ChatView } from '../api.js';
import type { Registry } from '../registry.js';

/** What an account's devices agree on about one chat. */
interface Mark {
  unread: boolean;
  archived: boolean;
  pinned: boolean;
  /** Milliseconds since the epoch; endless when it is never to end, 0 when it is not muted. */
  mutedUntil: number;
  /** Ids of messages that are deleted for this account only. */
  deleted: Set<string>;
}

type Value = NonNullable<ChatMutation['syncAction']['value']>;

/** What a setting, named by the first word of its index, means for the mark of its chat. */
const SETTINGS: Record<string, (mark: Mark, value: Value, index: string[]) => void> = {
  markChatAsRead(mark, { markChatAsReadAction }) {
    mark.unread = markChatAsReadAction?.read === false;
  },
  archive(mark, { archiveChatAction }) {
    mark.archived = archiveChatAction?.archived ?? false;
  },
  pin_v1(mark, { pinAction }) {
    mark.pinned = pinAction?.pinned ?? false;
  },
  mute(mark, { muteAction }) {
    mark.mutedUntil = muteAction?.muted ? endOf(Number(muteAction.muteEndTimestamp ?? 0)) : 0;
  },
  deleteMessageForMe(mark, _value, [, , messageId]) {
    if (messageId !== undefined) mark.deleted.add(messageId);
  },
};

/** The settings of chats as a phone knows them. */
export class ChatMarks {
  readonly #marks = new Map<string, Mark>();
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Takes a change of a setting. @returns the jid of the chat, undefined when it is about something else. */
  apply({ index, syncAction }: ChatMutation): string | undefined {
    const [setting = '', jid] = index;
    const change = Object.hasOwn(SETTINGS, setting) ? SETTINGS[setting] : undefined;
    if (!change || !jid || !syncAction.value) return undefined;
    const key = this.#keyOf(jid);
    const mark = this.#marks.get(key) ?? newMark();
    change(mark, syncAction.value, index);
    this.#marks.set(key, mark);
    return jid;
  }

  /** A chat, by the jid of a person (in either addressing) or of a group. */
  view(jid: string, now: number): ChatView {
    const { mutedUntil, deleted, ...mark } = this.#marks.get(this.#keyOf(jid)) ?? newMark();
    return {
      with: this.#registry.byJid(jid)?.number ?? jid,
      ...mark,
      muted: mutedUntil > now,
      deletedMessages: [...deleted],
    };
  }

  /** The jids of all chats that something was ever set for. */
  get jids(): string[] {
    return [...this.#marks.keys()];
  }

  /** Settings name people in either addressing: they mean the same chat. */
  #keyOf(jid: string): string {
    return this.#registry.byJid(jid)?.jid('lid') ?? jid;
  }
}

function newMark(): Mark {
  return { unread: false, archived: false, pinned: false, mutedUntil: 0, deleted: new Set() };
}

/** Without an end, or with a negative one, a chat is muted for good. */
function endOf(milliseconds: number): number {
  return milliseconds > 0 ? milliseconds : Number.POSITIVE_INFINITY;
}
