import type { ChatMutation, proto } from '@whiskeysockets/baileys';
import type { Account } from '../account.js';
import type { ChatUpdate, ChatView } from '../api.js';
import type { Companion } from '../companion.js';
import type { Network } from '../network.js';
import { chatOf, keyOf } from '../phone/targets.js';
import { NETWORK_JID } from '../wire/jid.js';
import { stanza } from '../wire/stanza.js';
import { ChatMarks } from './chat-marks.js';
import { Collection, type CollectionName, isCollection } from './collection.js';
import { chatPatches, type LastMessage, markerPatch, namePatch } from './patches.js';
import { Replica } from './replica.js';

/** The settings that the devices of one account share: the network keeps the patches, the phone reads and writes them. */
export class SharedSettings {
  readonly #network: Network;
  readonly #account: Account;
  readonly #collections = new Map<CollectionName, Collection>();
  readonly #replica: Replica;
  readonly #marks: ChatMarks;

  constructor(account: Account, network: Network) {
    this.#account = account;
    this.#network = network;
    this.#marks = new ChatMarks(network.registry);
    this.#replica = new Replica(account, {
      collection: (name) => this.collection(name),
      push: (name, base, patch) => this.#push(name, base, patch),
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

  /** The phone writes something without a meaning, so that the collection has a version that no other device expects. */
  async overtake(name: CollectionName): Promise<void> {
    await this.#replica.write(markerPatch(name, this.#network.newId()));
  }

  /** What the phone knows of its chats. */
  async chats(): Promise<{ chats: ChatView[]; rejected: number }> {
    await this.#replica.catchUp();
    const partners = new Set([...this.#network.phone(this.#account).held.all()].map(chatOf));
    const jids = new Set([...[...partners].map((partner) => this.#jidOf(partner)), ...this.#marks.jids]);
    return { chats: [...jids].map((jid) => this.#view(jid)), rejected: this.#replica.rejected };
  }

  /**
   * The person changes the settings of a chat.
   * @param partner a number, or a group's jid
   * @throws Refusal 404 when nobody has that number
   */
  async change(partner: string, update: ChatUpdate): Promise<ChatView> {
    const jid = this.#jidOf(partner);
    for (const patch of chatPatches(jid, update, this.#lastMessages(partner), this.#network.clock.now()))
      await this.#replica.write(patch);
    return this.#view(jid);
  }

  /** The person's name goes to the linked devices too. */
  async rename(name: string): Promise<void> {
    await this.#replica.write(namePatch(name));
  }

  /** Puts back a kept row, `<collection>/<what>`. */
  restore(row: string, value: string): void {
    const [name, what = ''] = row.split('/');
    if (isCollection(name)) this.collection(name).restore(what, value);
  }

  #push(name: CollectionName, base: number, patch: proto.ISyncdPatch, author?: Companion): boolean {
    const collection = this.collection(name);
    if (!collection.push(base, patch)) return false;
    const news = stanza('collection', { name, version: String(collection.version) });
    for (const companion of this.#account.companions.values()) {
      if (companion === author) continue;
      const id = this.#network.newId();
      const attrs = { from: NETWORK_JID, type: 'server_sync', id, t: String(this.#network.now()) };
      companion.mailbox.push(stanza('notification', attrs, [news]));
    }
    return true;
  }

  #changed(mutation: ChatMutation): void {
    const name = mutation.syncAction.value?.pushNameSetting?.name;
    if (name) this.#rename(name);
    const jid = this.#marks.apply(mutation);
    if (jid === undefined) return;
    const { number } = this.#account;
    this.#network.events.emit(() => ({ type: 'chat', number, chat: this.#view(jid) }));
  }

  #rename(name: string): void {
    if (this.#account.record.name === name) return;
    this.#account.record.name = name;
    this.#account.keep();
  }

  /** The newest message of a chat; none when the phone holds none. */
  #lastMessages(partner: string): LastMessage[] {
    const { held } = this.#network.phone(this.#account);
    const newest = [...held.all()].findLast((message) => chatOf(message) === partner);
    return newest ? [{ key: keyOf(this.#network, newest), messageTimestamp: newest.timestamp }] : [];
  }

  /** @throws Refusal 404 when nobody has that number */
  #jidOf(partner: string): string {
    return partner.includes('@') ? partner : this.#network.registry.require(partner).jid('lid');
  }

  #view(jid: string): ChatView {
    return this.#marks.view(jid, this.#network.clock.now());
  }
}
