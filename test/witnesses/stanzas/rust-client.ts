import type { SandboxClient } from '../../../src/client/sandbox/client.js';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { pnJid } from '../../sandbox/support/world.js';
import { Witness, type WitnessProgram } from '../witness.js';
import type { ComparedClient, FileKind, Person, Target } from './client.js';
import { madeFile } from './files.js';

/** whatsapp-rust, driven by its witness, which sends images and documents only. */
export class RustClient implements ComparedClient {
  readonly name = 'whatsapp-rust';
  readonly number: string;
  readonly #phones: SandboxClient;
  readonly #witness: Witness;

  constructor(
    program: WitnessProgram,
    { phones, sandbox }: { phones: SandboxClient; sandbox: Sandbox },
    number: string,
  ) {
    this.number = number;
    this.#phones = phones;
    this.#witness = new Witness(program, sandbox);
  }

  async link(): Promise<void> {
    await this.#phones.addPhone({ number: this.number, name: 'Compared' });
    await this.#witness.take('connect');
    const { code } = await this.#witness.named('PairingQrCode');
    await this.#phones.scan(this.number, String(code));
    await this.#witness.named('PairSuccess');
    await this.#witness.named('Connected');
  }

  async reconnect(): Promise<void> {
    const from = this.#witness.events.length;
    await this.#witness.take('disconnect');
    await this.#witness.take('connect');
    await this.#witness.named('Connected', from);
  }

  async text(to: Person | string, text: string): Promise<Target> {
    const sent = await this.#witness.take('text', {
      to: typeof to === 'string' ? to : pnJid(to.number),
      text,
    });
    if (typeof sent !== 'object' || sent === null || !('id' in sent)) throw new Error('not sent');
    return { id: String(sent.id), text };
  }

  async textToLid({ lid }: Person, text: string): Promise<void> {
    await this.text(lid, text);
  }

  async reply(_to: Person, text: string, { id }: Target): Promise<void> {
    await this.#witness.take('reply', { id, text });
  }

  async edit(to: Person, { id }: Target, text: string): Promise<void> {
    await this.#witness.take('edit', { to: pnJid(to.number), id, text });
  }

  async react(_to: Person, { id }: Target): Promise<void> {
    await this.#witness.take('react', { id, text: '👍' });
  }

  async poll(to: Person, text: string, options: string[]): Promise<void> {
    await this.#witness.take('poll', { to: pnJid(to.number), text, options });
  }

  file(to: Person, kind: FileKind): Promise<void> | undefined {
    return kind === 'image' || kind === 'document' ? this.#file(to, kind) : undefined;
  }

  async #file(to: Person, kind: 'image' | 'document'): Promise<void> {
    const { bytes, name } = await madeFile(kind);
    const named = kind === 'document' ? { name } : {};
    await this.#witness.take('file', { to: pnJid(to.number), file: bytes.toString('base64'), ...named });
  }

  async markRead(from: Person, { id }: Target): Promise<void> {
    await this.#witness.take('read', { to: pnJid(from.number), ids: [id] });
  }

  async appearOnline(): Promise<void> {
    await this.#witness.take('presence', { on: true });
  }

  async type(to: Person): Promise<void> {
    await this.#witness.take('typing', { to: pnJid(to.number) });
  }

  async follow(person: Person): Promise<void> {
    await this.#witness.take('subscribe', { to: pnJid(person.number) });
  }

  async createGroup(name: string, members: Person[]): Promise<string> {
    const people = members.map(({ number }) => pnJid(number));
    const group = await this.#witness.take('createGroup', { name, people });
    if (typeof group !== 'object' || group === null || !('jid' in group)) throw new Error('no group');
    return String(group.jid);
  }

  async lookUp(number: string): Promise<void> {
    await this.#witness.take('lookUp', { people: [pnJid(number)] });
  }

  async archive(chat: Person): Promise<void> {
    await this.#witness.take('archive', { to: pnJid(chat.number), on: true });
  }

  stop(): Promise<void> {
    return this.#witness.stop();
  }
}
