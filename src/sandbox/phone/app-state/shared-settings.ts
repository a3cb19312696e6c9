import {
  type ChatModification,
  type ChatMutation,
  chatModificationToAppPatch,
  proto,
  type WAPatchCreate,
} from '@whiskeysockets/baileys';
import type { ChatUpdate, ChatView } from '../../../contract/sandbox/index.js';
import { applyAudience } from '../../people/status-audience.js';
import { saltOf } from '../../people/tokens.js';
import type { Account, Companion } from '../../state/account.js';
import type { Network } from '../../state/network.js';
import { isStatus } from '../../state/status-feed.js';
import { NETWORK_JID, stanza } from '../../wire/stanza.js';
import type { PhoneMessages } from '../phone-messages.js';
import { chatOf, keyOf } from '../targets.js';
import { ChatSettings } from './chat-settings.js';
import { Collection, type CollectionName, isCollection } from './collection.js';
import { Replica } from './replica.js';

/** The settings that the devices of one account share: the network stores the patches, the phone reads and writes them. */
export class SharedSettings {
  readonly #network: Network;
  readonly #account: Account;
  readonly #messages: PhoneMessages;
  readonly #collections = new Map<CollectionName, Collection>();
  readonly #replica: Replica;
  readonly #chatSettings: ChatSettings;

  constructor(account: Account, messages: PhoneMessages, network: Network) {
    this.#account = account;
    this.#messages = messages;
    this.#network = network;
    this.#chatSettings = new ChatSettings(network.directory);
    this.#replica = new Replica(account, {
      collection: (name) => this.collection(name),
      push: (name, base, patch, except) => this.#push(name, base, patch, except),
      changed: (mutation) => this.#changed(mutation),
    });
  }

  collection(name: CollectionName): Collection {
    const known = this.#collections.get(name);
    if (known) return known;
    const collection = new Collection(`${this.#account.key}/${name}`, this.#network.state);
    this.#collections.set(name, collection);
    return collection;
  }

  /** A linked device changes something. @returns false when the collection has another version than `base` */
  upload(author: Companion, name: CollectionName, base: number, patch: proto.ISyncdPatch): boolean {
    if (!this.#push(name, base, patch, author)) return false;
    this.#replica.catchUp([name]).catch((error: unknown) => {
      this.#network.log?.error({ err: error, collection: name }, 'a phone could not read its settings');
    });
    return true;
  }

  /**
   * The phone writes a meaningless patch, so that the upload of a device fails with a conflict. The device gets the patch with
   * the refusal, and no notification: whatsmeow applies the patches of both at once, and then finds a wrong hash.
   */
  async provokeConflict(name: CollectionName, author: Companion): Promise<void> {
    await this.#replica.write(markerPatch(name, this.#network.newId()), author);
  }

  /** The settings of all chats of the phone. */
  async chats(): Promise<{ chats: ChatView[]; rejected: number }> {
    await this.#replica.catchUp();
    const chats = [...this.#messages.all()].filter((message) => !isStatus(message));
    const partners = new Set(chats.map(chatOf));
    const jids = new Set([
      ...[...partners].map((partner) => this.#jidOf(partner)),
      ...this.#chatSettings.jids,
    ]);
    return { chats: [...jids].map((jid) => this.#view(jid)), rejected: this.#replica.rejected };
  }

  /**
   * The person changes the settings of a chat.
   * @param partner a number, or a group's jid
   * @throws Refusal 404 when nobody has the number
   */
  async change(partner: string, update: ChatUpdate): Promise<ChatView> {
    const jid = this.#jidOf(partner);
    for (const patch of chatPatches(jid, update, this.#lastMessages(partner), this.#network.clock.now()))
      await this.#replica.write(patch);
    return this.#view(jid);
  }

  /**
   * Uploads the name and the language, which a phone has set before it links a device. A device without a name cannot appear
   * online (whatsmeow `presence.go`).
   * @param device the new device, which reads all settings when it has their key
   */
  async introduce(device: Companion): Promise<void> {
    if (this.collection(INTRODUCTION).version > 0) return;
    await this.#replica.write(localePatch(), device);
    const { name } = this.#account.record;
    if (name) await this.#replica.write(namePatch(name), device);
  }

  /** Sends the person's name to the linked devices. */
  async rename(name: string): Promise<void> {
    await this.#replica.write(namePatch(name));
  }

  /** The person adds a contact to the address book, or removes it with an empty name. */
  async nameContact(person: Account, name: string, firstName = name.split(' ')[0] ?? ''): Promise<void> {
    const isKnown = this.#account.record.contacts?.[person.lid] !== undefined;
    if (name === '' && !isKnown) return;
    await this.#replica.write(contactPatch(person, name, firstName));
  }

  /** The phone makes another salt for first contacts, which the linked devices read from the settings. */
  async renewSalt(): Promise<void> {
    const { record } = this.#account;
    record.saltTurn = (record.saltTurn ?? 0) + 1;
    this.#account.keep();
    await this.#replica.writeSalt(saltOf(this.#account));
  }

  /** Puts back a stored row, `<collection>/<what>`. */
  restore(row: string, value: string): void {
    const [name, what = ''] = row.split('/');
    if (isCollection(name)) this.collection(name).restore(what, value);
  }

  /** @param except the device that wrote the patch, or needs no notification */
  #push(name: CollectionName, base: number, patch: proto.ISyncdPatch, except?: Companion): boolean {
    const collection = this.collection(name);
    if (!collection.push(base, patch)) return false;
    const news = stanza('collection', { name, version: String(collection.version) });
    for (const companion of this.#account.companions.values()) {
      if (companion === except) continue;
      this.#network.notify(companion, { from: NETWORK_JID, type: 'server_sync' }, [news]);
    }
    return true;
  }

  #changed(mutation: ChatMutation): void {
    const name = mutation.syncAction.value?.pushNameSetting?.name;
    if (name) this.#rename(name);
    this.#noteContact(mutation);
    this.#deleteChat(mutation);
    const audience = mutation.syncAction.value?.statusPrivacy;
    if (audience) applyAudience(this.#network, this.#account, audience);
    const jid = this.#chatSettings.apply(mutation);
    if (jid === undefined) return;
    const { number } = this.#account;
    this.#network.events.emit(() => ({ type: 'chat', number, chat: this.#view(jid) }));
  }

  /** Devices name contacts by number or LID; a contact without a name is removed. */
  #noteContact({ index: [kind, jid], syncAction: { value } }: ChatMutation): void {
    const person = kind === 'contact' ? this.#network.directory.byJid(jid) : undefined;
    if (!person) return;
    const { fullName, firstName } = value?.contactAction ?? {};
    const { [person.lid]: _, ...others } = this.#account.record.contacts ?? {};
    this.#account.record.contacts = fullName
      ? { ...others, [person.lid]: { name: fullName, firstName: firstName ?? '' } }
      : others;
    this.#account.keep();
  }

  /**
   * A device deletes a chat: its messages up to the last one that the device knew disappear, and the chat with them (whatsmeow
   * `appstate.BuildDeleteChat`). After a restart the mutation comes again, and must not delete later messages.
   */
  #deleteChat({ index: [kind, jid], syncAction: { value } }: ChatMutation): void {
    if (kind !== 'deleteChat' || jid === undefined) return;
    const { lastMessageTimestamp } = value?.deleteChatAction?.messageRange ?? {};
    const last = Number(lastMessageTimestamp ?? Number(value?.timestamp ?? 0) / 1000);
    const partner = this.#network.directory.byJid(jid)?.number ?? jid;
    for (const message of [...this.#messages.all()])
      if (chatOf(message) === partner && message.timestamp <= last) this.#messages.remove(message.messageId);
    this.#chatSettings.forget(jid);
  }

  #rename(name: string): void {
    if (this.#account.record.name === name) return;
    this.#account.record.name = name;
    this.#account.keep();
  }

  /** The newest message of a chat; none when the phone holds none. */
  #lastMessages(partner: string): LastMessage[] {
    const newest = [...this.#messages.all()].findLast((message) => chatOf(message) === partner);
    return newest ? [{ key: keyOf(this.#network, newest), messageTimestamp: newest.timestamp }] : [];
  }

  /** @throws Refusal 404 when nobody has that number */
  #jidOf(partner: string): string {
    return partner.includes('@') ? partner : this.#network.directory.require(partner).jid('lid');
  }

  #view(jid: string): ChatView {
    return this.#chatSettings.view(jid, this.#network.clock.now());
  }
}

const MUTED_MS = 8 * 60 * 60 * 1_000;
const { SET } = proto.SyncdMutation.SyncdOperation;

/** The newest message of a chat: read and archive settings name it as their upper limit. */
interface LastMessage {
  key: proto.IMessageKey;
  /** Seconds since the epoch. */
  messageTimestamp: number;
}

/** The patches that change the settings of a chat. */
function chatPatches(
  jid: string,
  { unread, archived, pinned, muted }: ChatUpdate,
  lastMessages: LastMessage[],
  nowMs: number,
): WAPatchCreate[] {
  const wishes: ChatModification[] = [];
  if (unread !== undefined) wishes.push({ markRead: !unread, lastMessages });
  if (archived !== undefined) wishes.push({ archive: archived, lastMessages });
  if (pinned !== undefined) wishes.push({ pin: pinned });
  if (muted !== undefined) wishes.push({ mute: muted ? nowMs + MUTED_MS : null });
  return wishes.map((wish) => chatModificationToAppPatch(wish, jid));
}

/** The collection of the name and the language. */
const INTRODUCTION = 'critical_block';
const LOCALE = 'en_US';

/** The patch by which devices learn the language of the phone (whatsmeow `appstate/keys.go`). */
function localePatch(): WAPatchCreate {
  return {
    type: INTRODUCTION,
    index: ['setting_locale'],
    syncAction: { timestamp: Date.now(), localeSetting: { locale: LOCALE } },
    apiVersion: 3,
    operation: SET,
  };
}

/** The patch by which devices learn their account's name. */
function namePatch(name: string): WAPatchCreate {
  return chatModificationToAppPatch({ pushNameSetting: name }, '');
}

/** The patch by which devices learn a name of the address book; without a name it removes the contact. */
function contactPatch(person: Account, fullName: string, firstName: string): WAPatchCreate {
  const lidJid = person.record.hideLid ? null : person.jid('lid');
  const contact = fullName ? { fullName, firstName, lidJid, saveOnPrimaryAddressbook: true } : null;
  return chatModificationToAppPatch({ contact }, person.jid('pn'));
}

/** A patch without a meaning for any device. */
function markerPatch(type: CollectionName, id: string): WAPatchCreate {
  return {
    type,
    index: ['sandbox_marker', id],
    syncAction: { timestamp: Date.now() },
    apiVersion: 1,
    operation: SET,
  };
}
