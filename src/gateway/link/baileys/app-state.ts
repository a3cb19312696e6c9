import {
  ALL_WA_PATCH_NAMES,
  type BinaryNode,
  type Chat,
  type ChatModification,
  chatModificationToAppPatch,
  encodeSyncdPatch,
  ensureLTHashStateVersion,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  newLTHashState,
  proto,
  type WAPatchCreate,
  type WAPatchName,
  type WASocket,
} from '@whiskeysockets/baileys';
import { parseJid } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { type ChatSettings, FOREVER } from '../../../domain/room.js';
import type { StatusPrivacyMode } from '../../../domain/status-audience.js';
import type { ChatChange, MessageReference } from '../link.js';
import { partsOf } from './reasons.js';

/** Another device changed the same collection since the version on which this change is based. */
const CONFLICT = '409';
/** Milliseconds to read the changes of other devices before an own change, for which a caller waits. */
const CATCH_UP_MS = 30_000;
/** Milliseconds to read the changes that a notification announces: a phone may have changed thousands of chats. */
const NEWS_MS = 120_000;
const VERSIONS = 'app-state-sync-version';
/** The protocol's value for a mute without an end (whatsmeow, `BuildMuteAbs`). */
const MUTED_FOR_GOOD = -1;

/** The network's error code; undefined when it accepted the change. */
type Refusal = string | undefined;

/**
 * Changes the app state, which all devices of the account share. The library ignores the network's answer to a change, and
 * after a conflict all later changes would be refused; so changes are sent from here, and their answers are read.
 */
export class AppState {
  readonly #sock: WASocket;
  readonly #clock: Clock;
  readonly #onStuck: () => void;
  /** Collections that other devices have changed and that have not been queried yet. */
  readonly #changed = new Set<WAPatchName>();
  #reading: Promise<void> | undefined;

  /**
   * @param onStuck must end the connection: the library repeats a query without end, and blocks all sends of the account
   * meanwhile
   */
  constructor(sock: WASocket, clock: Clock, onStuck: () => void) {
    this.#sock = sock;
    this.#clock = clock;
    this.#onStuck = onStuck;
  }

  /** @throws GatewayError `app_state_rejected` */
  async change(change: ChatChange): Promise<void> {
    await this.#apply(patchOf(change, this.#clock.now()));
    // an archived chat is not pinned: the official client changes both (whatsmeow, `BuildArchive`)
    if (change.type === 'archive' && change.archived)
      await this.#apply(patchOf({ type: 'pin', chat: change.chat, pinned: false }, this.#clock.now()));
  }

  /** Changes the name of the account. @throws GatewayError `app_state_rejected` */
  async rename(name: string): Promise<void> {
    await this.#apply(modification({ pushNameSetting: name }, ''));
  }

  /** Sets who may see the statuses of the account (zapo `setStatusPrivacy`). @throws GatewayError `app_state_rejected` */
  async setStatusPrivacy(mode: StatusPrivacyMode, userJid: string[]): Promise<void> {
    await this.#apply({
      type: 'regular_high',
      index: ['status_privacy'],
      syncAction: { timestamp: this.#clock.now(), statusPrivacy: { mode: DISTRIBUTION[mode], userJid } },
      apiVersion: STATUS_PRIVACY_VERSION,
      operation: proto.SyncdMutation.SyncdOperation.SET,
    });
  }

  /**
   * Reads the collection that another device has changed, and acknowledges the notification of it. The library must not
   * see the notification: it queries a collection until the answer names it, so a collection that does not exist would be
   * queried for ever, and block all messages of the account.
   */
  async onNotification(node: BinaryNode): Promise<void> {
    const named = getBinaryNodeChild(node, 'collection')?.attrs.name;
    const name = ALL_WA_PATCH_NAMES.find((known) => known === named);
    try {
      if (!name) return;
      this.#changed.add(name);
      this.#reading ??= this.#readChanged();
      await this.#reading;
    } finally {
      await this.#sock.sendMessageAck(node);
    }
  }

  /** Reads until no change is left. One query reads all collections that changed during the previous query. */
  async #readChanged(): Promise<void> {
    try {
      while (this.#changed.size > 0) {
        const names = [...this.#changed];
        this.#changed.clear();
        await this.#catchUp(names, NEWS_MS);
      }
    } finally {
      this.#reading = undefined;
    }
  }

  async #apply(patch: WAPatchCreate): Promise<void> {
    await this.#waitForKeys();
    let refusal = await this.#try(patch);
    if (refusal === CONFLICT) {
      // start again from the network's state: the version stored here may be wrong
      await this.#sock.authState.keys.set({ [VERSIONS]: { [patch.type]: null } });
      refusal = await this.#try(patch);
    }
    if (refusal) throw rejected(`The network rejected the change (${refusal}). Try again.`);
  }

  /** Waits for the keys, which the phone shares by itself a moment after the pairing. */
  async #waitForKeys(): Promise<void> {
    const { authState, ev } = this.#sock;
    if (authState.creds.myAppStateKeyId) return;
    let stop: () => void = () => undefined;
    const shared = new Promise<void>((resolve) => {
      const look = () => {
        if (authState.creds.myAppStateKeyId) resolve();
      };
      ev.on('creds.update', look);
      stop = () => ev.off('creds.update', look);
    });
    try {
      await this.#inTime(shared, LIMITS.appStateKeyMs, () =>
        rejected(
          'The linked phone has not shared its keys for changes of chats yet. Open WhatsApp on it and try again.',
        ),
      );
    } finally {
      stop();
    }
  }

  async #try(patch: WAPatchCreate): Promise<Refusal> {
    try {
      await this.#catchUp([patch.type], CATCH_UP_MS);
      return await this.#sock.appStatePatchMutex.mutex(() => this.#send(patch));
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      const { message } = partsOf(error);
      throw rejected(`The change could not be made: ${message || 'the connection ended'}. Try again.`, error);
    }
  }

  #catchUp(names: WAPatchName[], ms: number): Promise<void> {
    return this.#inTime(this.#sock.resyncAppState(names, false), ms, () => {
      this.#onStuck();
      return unanswered();
    });
  }

  /** Runs under the library's own lock for app state, so that no two changes are based on one version. */
  async #send(patch: WAPatchCreate): Promise<Refusal> {
    const { keys, creds } = this.#sock.authState;
    const { type } = patch;
    return keys.transaction(async () => {
      const { [type]: version } = await keys.get(VERSIONS, [type]);
      const before = version ? ensureLTHashStateVersion(version) : newLTHashState();
      const keyOf = async (id: string) => (await keys.get('app-state-sync-key', [id]))[id];
      const encoded = await encodeSyncdPatch(patch, creds.myAppStateKeyId ?? '', before, keyOf);
      const answer: BinaryNode | undefined = await this.#sock.query(
        upload(type, before.version, encoded.patch),
      );
      if (!answer) throw unanswered();
      const refusal = refusalIn(answer, type);
      if (!refusal) await keys.set({ [VERSIONS]: { [type]: encoded.state } });
      return refusal;
    }, creds.me?.id ?? '');
  }

  async #inTime<T>(work: Promise<T>, ms: number, late: () => GatewayError): Promise<T> {
    let cancel: () => void = () => undefined;
    const deadline = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(ms, () => reject(late()));
    });
    try {
      return await Promise.race([work, deadline]);
    } finally {
      cancel();
    }
  }
}

const { ALLOW_LIST, DENY_LIST, CONTACTS } = proto.SyncActionValue.StatusPrivacyAction.StatusDistributionMode;
const DISTRIBUTION = { contacts: CONTACTS, except: DENY_LIST, only: ALLOW_LIST } as const;
/** Of the setting in the app state (zapo `spec/appstate`). */
const STATUS_PRIVACY_VERSION = 7;

/** @param now milliseconds since the epoch */
function patchOf(change: ChatChange, now: number): WAPatchCreate {
  const { chat } = change;
  switch (change.type) {
    case 'mark-unread':
      return modification({ markRead: false, lastMessages: [anchor(chat, change.last)] }, chat);
    case 'archive': {
      const { archived, last } = change;
      // without a message the range ends now
      const lastMessages = last?.sentAt
        ? [anchor(chat, last)]
        : { lastMessageTimestamp: Math.floor(now / 1000) };
      return modification({ archive: archived, lastMessages }, chat);
    }
    case 'mute':
      return modification({ mute: change.until === FOREVER ? MUTED_FOR_GOOD : change.until || null }, chat);
    case 'pin':
      return modification({ pin: change.pinned }, chat);
    case 'delete-for-me':
      return deletionPatch(chat, change.message);
    case 'star':
      return starPatch(chat, change.message, change.starred);
  }
}

function deletionPatch(chat: string, message: MessageReference): WAPatchCreate {
  const { key, messageTimestamp: timestamp } = anchor(chat, message);
  const patch = modification({ deleteForMe: { deleteMedia: false, key, timestamp } }, chat);
  return withAuthor(patch, chat, message);
}

function starPatch(chat: string, message: MessageReference, starred: boolean): WAPatchCreate {
  const { messageId: id, fromMe } = message;
  return withAuthor(
    modification({ star: { messages: [{ id, fromMe }], star: starred } }, chat),
    chat,
    message,
  );
}

function withAuthor(patch: WAPatchCreate, chat: string, message: MessageReference): WAPatchCreate {
  const inGroup = parseJid(chat)?.kind === 'group' && !message.fromMe && message.participant;
  // in groups the index of a message includes its author, which the library leaves out
  return inGroup ? { ...patch, index: [...patch.index.slice(0, -1), inGroup] } : patch;
}

/** The changed settings in an update of the library; undefined if it changes none. A mute without an end has no positive end time. */
export function settingsIn({ archived, muteEndTime, pinned }: Partial<Chat>): ChatSettings | undefined {
  if (archived === undefined && muteEndTime === undefined && pinned === undefined) return undefined;
  const mutedUntil = muteEndTime === null ? 0 : Number(muteEndTime) > 0 ? Number(muteEndTime) : FOREVER;
  return {
    ...(typeof archived === 'boolean' && { archived }),
    ...(muteEndTime !== undefined && { mutedUntil }),
    ...(pinned !== undefined && { pinned: pinned !== null }),
  };
}

function modification(change: ChatModification, chat: string): WAPatchCreate {
  try {
    return chatModificationToAppPatch(change, chat);
  } catch (error) {
    throw rejected(`The change cannot be made: ${partsOf(error).message}.`, error);
  }
}

function anchor(remoteJid: string, { messageId, fromMe, participant, sentAt }: MessageReference) {
  const key = { remoteJid, id: messageId, fromMe, ...(participant && { participant }) };
  return { key, messageTimestamp: Math.floor(sentAt / 1000) };
}

function upload(name: string, version: number, patch: proto.ISyncdPatch): BinaryNode {
  const content = [{ tag: 'patch', attrs: {}, content: proto.SyncdPatch.encode(patch).finish() }];
  const attrs = { name, version: String(version), return_snapshot: 'false' };
  return {
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:sync:app:state' },
    content: [{ tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs, content }] }],
  };
}

function refusalIn(answer: BinaryNode, name: string): Refusal {
  const collections = getBinaryNodeChildren(getBinaryNodeChild(answer, 'sync'), 'collection');
  const collection = collections.find(({ attrs }) => attrs.name === name);
  if (!collection) return 'no answer for it';
  if (collection.attrs.type !== 'error') return undefined;
  return getBinaryNodeChild(collection, 'error')?.attrs.code ?? 'no reason given';
}

function unanswered(): GatewayError {
  return rejected('The network did not answer, so the change may not have been made. Try again.');
}

function rejected(message: string, cause?: unknown): GatewayError {
  return new GatewayError('app_state_rejected', message, { cause });
}
