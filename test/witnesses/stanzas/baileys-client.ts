import type { AnyMessageContent } from '@whiskeysockets/baileys';
import type { SandboxClient } from '../../../src/client/sandbox/client.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { BaileysDevice } from '../../sandbox/support/baileys-device.js';
import { PlainAgent } from '../../sandbox/support/media-route.js';
import { pnJid } from '../../sandbox/support/world.js';
import type { ComparedClient, FileKind, Person, Target } from './client.js';
import { type MadeFile, madeFile } from './files.js';

/** The library as it is published, without the gateway around it. */
export class BaileysClient implements ComparedClient {
  readonly name = 'Baileys';
  readonly number: string;
  readonly #phones: SandboxClient;
  readonly #device: BaileysDevice;

  constructor({ phones, sandbox }: { phones: SandboxClient; sandbox: Sandbox }, number: string) {
    this.number = number;
    this.#phones = phones;
    this.#device = new BaileysDevice(sandbox.wsUrl, { fetchAgent: new PlainAgent(sandbox.port) });
  }

  async link(): Promise<void> {
    await this.#phones.addPhone({ number: this.number, name: 'Compared' });
    const qr = await this.#device.qr();
    const closed = this.#device.closed();
    await this.#phones.scan(this.number, qr);
    await closed;
    await this.#device.connect();
    await this.#device.synced();
  }

  async reconnect(): Promise<void> {
    await this.#device.stop();
    await this.#device.connect();
  }

  async text(to: Person | string, text: string): Promise<Target> {
    return { id: await this.#device.say(typeof to === 'string' ? to : pnJid(to.number), text), text };
  }

  async textToLid({ lid }: Person, text: string): Promise<void> {
    await this.#device.say(lid, text);
  }

  async reply(to: Person, text: string, quoted: Target): Promise<void> {
    const message = await this.#device.message(quoted.id);
    await this.#device.send(pnJid(to.number), { text }, { quoted: message });
  }

  async edit(to: Person, own: Target, text: string): Promise<void> {
    const key = { remoteJid: pnJid(to.number), fromMe: true, id: own.id };
    await this.#device.send(pnJid(to.number), { text, edit: key });
  }

  async react(to: Person, target: Target): Promise<void> {
    const { key } = await this.#device.message(target.id);
    await this.#device.send(pnJid(to.number), { react: { text: '👍', key } });
  }

  async poll(to: Person, name: string, values: string[]): Promise<void> {
    await this.#device.send(pnJid(to.number), { poll: { name, values, selectableCount: 1 } });
  }

  async file(to: Person, kind: FileKind): Promise<void> {
    await this.#device.send(pnJid(to.number), contentOf(kind, await madeFile(kind)));
  }

  async markRead(_from: Person, { id }: Target): Promise<void> {
    const { key } = await this.#device.message(id);
    await this.#device.socket.readMessages([key]);
  }

  async appearOnline(): Promise<void> {
    await this.#device.socket.sendPresenceUpdate('available');
  }

  async type(to: Person): Promise<void> {
    await this.#device.socket.sendPresenceUpdate('composing', pnJid(to.number));
  }

  async follow(person: Person): Promise<void> {
    await this.#device.socket.presenceSubscribe(pnJid(person.number));
  }

  async createGroup(subject: string, members: Person[]): Promise<string> {
    const jids = members.map(({ number }) => pnJid(number));
    return (await this.#device.socket.groupCreate(subject, jids)).id;
  }

  async lookUp(number: string): Promise<void> {
    await this.#device.socket.onWhatsApp(number);
  }

  async archive(chat: Person, { id }: Target): Promise<void> {
    const message = await this.#device.message(id);
    await this.#device.socket.chatModify({ archive: true, lastMessages: [message] }, pnJid(chat.number));
  }

  stop(): Promise<void> {
    return this.#device.stop();
  }
}

function contentOf(kind: FileKind, { bytes, mimeType, name }: MadeFile): AnyMessageContent {
  switch (kind) {
    case 'image':
      return { image: bytes, mimetype: mimeType };
    case 'video':
      return { video: bytes, mimetype: mimeType };
    case 'audio':
      return { audio: bytes, mimetype: mimeType, ptt: true };
    case 'sticker':
      return { sticker: bytes, mimetype: mimeType };
    case 'document':
      return { document: bytes, mimetype: mimeType, fileName: name };
  }
}
