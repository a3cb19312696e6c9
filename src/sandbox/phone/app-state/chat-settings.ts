import type { ChatMutation } from '@whiskeysockets/baileys';
import type { ChatView } from '../../../contract/sandbox/index.js';
import type { EpochMs } from '../../../domain/clock.js';
import type { Directory } from '../../state/directory.js';

/** The settings of one chat. */
interface ChatState {
  unread: boolean;
  archived: boolean;
  pinned: boolean;
  /** Infinity: for good; 0: not muted. */
  mutedUntil: EpochMs;
  /** Ids of messages that are deleted for this account only. */
  deleted: Set<string>;
  /** Ids of starred messages. */
  starred: Set<string>;
}

type Value = NonNullable<ChatMutation['syncAction']['value']>;

/** Applies a setting to its chat, by the first word of the setting's index. */
const SETTINGS: Record<string, (mark: ChatState, value: Value, index: string[]) => void> = {
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
  star(mark, { starAction }, [, , messageId]) {
    if (messageId === undefined) return;
    if (starAction?.starred) mark.starred.add(messageId);
    else mark.starred.delete(messageId);
  },
};

/** The settings of chats as a phone knows them. */
export class ChatSettings {
  readonly #chatSettings = new Map<string, ChatState>();
  readonly #directory: Directory;

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  /** Applies a mutation. @returns the jid of the chat; undefined when the mutation is about something else */
  apply({ index, syncAction }: ChatMutation): string | undefined {
    const [setting = '', jid] = index;
    const change = Object.hasOwn(SETTINGS, setting) ? SETTINGS[setting] : undefined;
    if (!change || !jid || !syncAction.value) return undefined;
    const key = this.#keyOf(jid);
    const mark = this.#chatSettings.get(key) ?? newChatState();
    change(mark, syncAction.value, index);
    this.#chatSettings.set(key, mark);
    return jid;
  }

  /** The chat is deleted: it has no settings any more. */
  forget(jid: string): void {
    this.#chatSettings.delete(this.#keyOf(jid));
  }

  /** A chat, by the jid of a person (in either addressing) or of a group. */
  view(jid: string, now: number): ChatView {
    const { mutedUntil, deleted, starred, ...mark } =
      this.#chatSettings.get(this.#keyOf(jid)) ?? newChatState();
    return {
      with: this.#directory.byJid(jid)?.number ?? jid,
      ...mark,
      muted: mutedUntil > now,
      deletedMessages: [...deleted],
      ...(starred.size > 0 && { starredMessages: [...starred] }),
    };
  }

  /** The jids of all chats with settings. */
  get jids(): string[] {
    return [...this.#chatSettings.keys()];
  }

  /** Settings name people in either addressing; both mean the same chat. */
  #keyOf(jid: string): string {
    return this.#directory.byJid(jid)?.jid('lid') ?? jid;
  }
}

function newChatState(): ChatState {
  return {
    unread: false,
    archived: false,
    pinned: false,
    mutedUntil: 0,
    deleted: new Set(),
    starred: new Set(),
  };
}

/** A missing or negative end means: muted for good. */
function endOf(milliseconds: number): number {
  return milliseconds > 0 ? milliseconds : Number.POSITIVE_INFINITY;
}
