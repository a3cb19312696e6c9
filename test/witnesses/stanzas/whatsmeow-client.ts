import type { SandboxClient } from '../../../src/client/sandbox/client.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { pnJid } from '../../sandbox/support/world.js';
import { Witness, type WitnessProgram } from '../witness.js';
import type { ComparedClient, FileKind, Person, Target } from './client.js';
import { madeFile } from './files.js';

/** whatsmeow, driven by its witness. */
export class WhatsmeowClient implements ComparedClient {
  readonly name = 'whatsmeow';
  readonly number: string;
  readonly #phones: SandboxClient;
  readonly #witness: Witness;

  constructor(
    program: WitnessProgram,
    { phones, sandbox, folder }: { phones: SandboxClient; sandbox: Sandbox; folder: string },
    number: string,
  ) {
    this.number = number;
    this.#phones = phones;
    this.#witness = new Witness(program, sandbox, folder);
  }

  async link(): Promise<void> {
    await this.#phones.addPhone({ number: this.number, name: 'Compared' });
    await this.#witness.take('ConnectContext');
    const { code } = await this.#witness.named('qr');
    await this.#phones.scan(this.number, String(code));
    await this.#witness.named('pairSuccess');
    await this.#witness.named('connected');
  }

  async reconnect(): Promise<void> {
    const from = this.#witness.events.length;
    await this.#witness.take('Disconnect');
    await this.#witness.take('ConnectContext');
    await this.#witness.named('connected', from);
  }

  async text(to: Person | string, text: string): Promise<Target> {
    const message = { conversation: text };
    return { id: await this.#send(typeof to === 'string' ? to : pnJid(to.number), { message }), text };
  }

  async textToLid({ lid }: Person, text: string): Promise<void> {
    await this.#send(lid, { message: { conversation: text } });
  }

  async reply(to: Person, text: string, quoted: Target): Promise<void> {
    const contextInfo = {
      stanzaID: quoted.id,
      participant: pnJid(to.number),
      quotedMessage: { conversation: quoted.text },
    };
    await this.#send(pnJid(to.number), { message: { extendedTextMessage: { text, contextInfo } } });
  }

  async edit(to: Person, own: Target, text: string): Promise<void> {
    await this.#build(to, 'BuildEdit', [pnJid(to.number), own.id, { conversation: text }]);
  }

  async react(to: Person, target: Target): Promise<void> {
    await this.#build(to, 'BuildReaction', [pnJid(to.number), pnJid(to.number), target.id, '👍']);
  }

  async poll(to: Person, question: string, options: string[]): Promise<void> {
    await this.#build(to, 'BuildPollCreation', [question, options, 1]);
  }

  async file(to: Person, kind: FileKind): Promise<void> {
    const { bytes, mimeType, name } = await madeFile(kind);
    const uploaded = await this.#witness.take('upload', { kind, file: bytes.toString('base64') });
    const known = { ...(uploaded as object), mimetype: mimeType };
    const named = kind === 'document' ? { fileName: name } : kind === 'audio' ? { PTT: true } : {};
    await this.#send(pnJid(to.number), { message: { [`${kind}Message`]: { ...known, ...named } } });
  }

  async markRead(from: Person, { id }: Target): Promise<void> {
    const jid = pnJid(from.number);
    await this.#witness.take('MarkRead', { args: [[id], new Date().toISOString(), jid, jid] });
  }

  async appearOnline(): Promise<void> {
    await this.#witness.take('SendPresence', { args: ['available'] });
  }

  async type(to: Person): Promise<void> {
    await this.#witness.take('SendChatPresence', { args: [pnJid(to.number), 'composing', ''] });
  }

  async follow(person: Person): Promise<void> {
    await this.#witness.take('SubscribePresence', { args: [pnJid(person.number)] });
  }

  async createGroup(subject: string, members: Person[]): Promise<string> {
    const Participants = members.map(({ number }) => pnJid(number));
    const group = await this.#witness.take('CreateGroup', { args: [{ Name: subject, Participants }] });
    if (typeof group !== 'object' || group === null || !('JID' in group)) throw new Error('no group');
    return String(group.JID);
  }

  async lookUp(number: string): Promise<void> {
    await this.#witness.take('IsOnWhatsApp', { args: [[number]] });
  }

  async archive(chat: Person): Promise<void> {
    const args = [pnJid(chat.number), true, new Date().toISOString(), null];
    await this.#witness.take('patch', { build: 'archive', args });
  }

  stop(): Promise<void> {
    return this.#witness.stop();
  }

  async #send(to: string, fields: object): Promise<string> {
    return Object(await this.#witness.take('send', { to, ...fields })).ID;
  }

  async #build(to: Person, build: string, args: unknown[]): Promise<void> {
    await this.#send(pnJid(to.number), { build, args });
  }
}
