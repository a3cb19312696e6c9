import { linkSession, reached, type World } from '../../support/world.js';
import type { ComparedClient, FileKind, Person, Target } from './client.js';
import { madeFile } from './files.js';

const SESSION = 'compared';

/** A session of the daemon, driven over its API. */
export class GatewayClient implements ComparedClient {
  readonly name = 'Switchboard';
  readonly number: string;
  readonly #world: World;

  constructor(world: World, number: string) {
    this.#world = world;
    this.number = number;
  }

  async link(): Promise<void> {
    await linkSession(
      this.#world,
      SESSION,
      { number: this.number, name: 'Compared' },
      { extraEvents: ['presence'] },
    );
  }

  async reconnect(): Promise<void> {
    await this.#call('/reconnect');
    await reached(this.#world, SESSION, 'connected');
  }

  text(to: Person | string, text: string): Promise<Target> {
    return this.#send('/send-message', { to: typeof to === 'string' ? to : to.number, body: text });
  }

  async textToLid({ lid }: Person, text: string): Promise<void> {
    await this.#send('/send-message', { to: lid, body: text });
  }

  async reply(to: Person, text: string, quoted: Target): Promise<void> {
    await this.#send('/send-message', { to: to.number, body: text, quotedMessageId: quoted.id });
  }

  async edit(to: Person, own: Target, text: string): Promise<void> {
    await this.#send('/edit-message', { to: to.number, messageId: own.id, body: text });
  }

  async react(to: Person, target: Target): Promise<void> {
    await this.#send('/send-reaction', { to: to.number, messageId: target.id, emoji: '👍' });
  }

  async poll(to: Person, question: string, options: string[]): Promise<void> {
    await this.#send('/send-poll-message', { to: to.number, pollName: question, pollOptions: options });
  }

  async file(to: Person, kind: FileKind): Promise<void> {
    const { bytes, mimeType, name } = await madeFile(kind);
    const form = new FormData();
    form.set('clientId', SESSION);
    form.set('to', to.number);
    if (kind === 'sticker') form.set('asSticker', 'true');
    if (kind === 'audio') form.set('sendAudioAsVoice', 'true');
    form.set('file', new Blob([Uint8Array.from(bytes)], { type: mimeType }), name);
    const path = `/send-media-message?clientId=${SESSION}`;
    const { status, body } = await this.#world.api.upload(path, form);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
  }

  async markRead(from: Person, message: Target): Promise<void> {
    await this.#call('/mark-read', { to: from.number, messageIds: [message.id] });
  }

  async type(to: Person): Promise<void> {
    await this.#call('/send-typing', { to: to.number });
  }

  async follow(person: Person): Promise<void> {
    await this.#call('/subscribe-presence', { to: person.number });
  }

  async createGroup(subject: string, members: Person[]): Promise<string> {
    const participants = members.map(({ number }) => number);
    const { group } = await this.#call('/create-group', { subject, participants });
    if (typeof group !== 'object' || group === null || !('jid' in group)) throw new Error('no group');
    return String(group.jid);
  }

  async lookUp(number: string): Promise<void> {
    await this.#call('/user-info', { jid: number });
  }

  async archive(chat: Person): Promise<void> {
    await this.#call('/archive-chat', { to: chat.number, archived: true });
  }

  async stop(): Promise<void> {}

  async #send(
    path: string,
    fields: { to: string; body?: string; [field: string]: unknown },
  ): Promise<Target> {
    const { messageId } = await this.#call(path, fields);
    return { id: String(messageId), text: fields.body ?? '' };
  }

  async #call(path: string, fields: object = {}): Promise<Record<string, unknown>> {
    const { status, body } = await this.#world.api.post(path, { clientId: SESSION, ...fields });
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  }
}
