import {
  type BinaryNode,
  type ChatModification,
  chatModificationToAppPatch,
  encodeSyncdPatch,
  ensureLTHashStateVersion,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  newLTHashState,
  proto,
  type WAPatchCreate,
  type WASocket,
} from '@whiskeysockets/baileys';
import { parseJid } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { ChatChange, MessageReference } from '../link.js';
import { partsOf } from './reasons.js';

/** Another device was faster: the change was made on top of something that is not the last any more. */
const CONFLICT = '409';
/** Milliseconds for catching up with what other devices changed. */
const CATCH_UP_MS = 30_000;
const VERSIONS = 'app-state-sync-version';

/** What the network made of a change: undefined when it took it, else its code. */
type Refusal = string | undefined;

export interface AppStateOptions {
  sock: WASocket;
  clock: Clock;
  /** The library asks without end, and holds all sends of the account up while it does: the connection must go. */
  onStuck(): void;
}

/**
 * Changes what the account's devices share. The library counts a change as made whatever the network says to it, and
 * would have every later one refused after a conflict; so the change is sent from here and its answer read.
 */
export class AppState {
  readonly #sock: WASocket;
  readonly #clock: Clock;
  readonly #onStuck: () => void;

  constructor({ sock, clock, onStuck }: AppStateOptions) {
    this.#sock = sock;
    this.#clock = clock;
    this.#onStuck = onStuck;
  }

  /** @throws GatewayError `app_state_rejected` */
  async change(change: ChatChange): Promise<void> {
    await this.#keyed();
    const patch = patchOf(change);
    let refusal = await this.#try(patch);
    if (refusal === CONFLICT) {
      // begin anew from what the network has, should it be the version here that is wrong
      await this.#sock.authState.keys.set({ [VERSIONS]: { [patch.type]: null } });
      refusal = await this.#try(patch);
    }
    if (refusal) throw rejected(`The network rejected the change (${refusal}). Try again.`);
  }

  /** The phone shares its keys by itself, a moment after the pairing. */
  async #keyed(): Promise<void> {
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
      await this.#catchUp(patch);
      return await this.#sock.appStatePatchMutex.mutex(() => this.#send(patch));
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      const { message } = partsOf(error);
      throw rejected(`The change could not be made: ${message || 'the connection ended'}. Try again.`, error);
    }
  }

  #catchUp({ type }: WAPatchCreate): Promise<void> {
    return this.#inTime(this.#sock.resyncAppState([type], false), CATCH_UP_MS, () => {
      this.#onStuck();
      return unanswered();
    });
  }

  /** Holds the key that the library holds when it changes the same, so that no version is read twice. */
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

function patchOf(change: ChatChange): WAPatchCreate {
  const { chat } = change;
  if (change.type === 'mark-unread')
    return modification({ markRead: false, lastMessages: [anchor(chat, change.last)] }, chat);
  const { message } = change;
  const { key, messageTimestamp: timestamp } = anchor(chat, message);
  const patch = modification({ deleteForMe: { deleteMedia: false, key, timestamp } }, chat);
  const inGroup = parseJid(chat)?.kind === 'group' && !message.fromMe && message.participant;
  // in groups the author is a part of a message's name, which the library leaves out
  return inGroup ? { ...patch, index: [...patch.index.slice(0, -1), inGroup] } : patch;
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
