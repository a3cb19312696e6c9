import { useMultiFileAuthState as authInFiles } from '@whiskeysockets/baileys';
import { BaileysDevice } from '../sandbox/support/baileys-device.js';
import type { World } from './world.js';

/** Another program with a linked number: the real library with its own store, `useMultiFileAuthState`. */
export class FileDevice {
  readonly #device: BaileysDevice;
  readonly #saved: () => Promise<void>;
  readonly #running: AbortController;

  private constructor(device: BaileysDevice, saved: () => Promise<void>, running: AbortController) {
    this.#device = device;
    this.#saved = saved;
    this.#running = running;
  }

  /** Opens the store in a folder, which is made if it is not there. */
  static async open(world: Pick<World, 'sandbox'>, folder: string): Promise<FileDevice> {
    const { state, saveCreds } = await authInFiles(folder);
    const running = new AbortController();
    let writes: Promise<unknown> = Promise.resolve();
    const set: typeof state.keys.set = async (rows) => {
      // the library writes its list of tokens five seconds later, and this process goes on
      if (running.signal.aborted) return;
      const written = Promise.resolve(state.keys.set(rows));
      writes = Promise.allSettled([writes, written]);
      await written;
    };
    const auth = { creds: state.creds, keys: { ...state.keys, set } };
    const saved = async () => {
      await saveCreds();
      await writes;
    };
    return new FileDevice(new BaileysDevice(world.sandbox.wsUrl, { auth }), saved, running);
  }

  /** Links a number, logs in, and has a conversation with another phone. */
  static async link(
    world: Pick<World, 'sandbox' | 'phones'>,
    folder: string,
    person: { number: string; name: string },
  ): Promise<FileDevice> {
    await world.phones.addPhone(person);
    const device = await FileDevice.open(world, folder);
    const qr = await device.#device.qr();
    const closed = device.#device.closed();
    device.#keepSaved();
    await world.phones.scan(person.number, qr);
    await closed;
    await device.connect();
    return device;
  }

  async connect(): Promise<void> {
    const opened = this.#device.start();
    this.#keepSaved();
    await new Promise<void>((resolve, reject) => {
      opened.ev.on('connection.update', ({ connection, lastDisconnect }) => {
        if (connection === 'open') resolve();
        if (connection === 'close') reject(lastDisconnect?.error ?? new Error('closed'));
      });
    });
  }

  /** @returns the message's id */
  say(jid: string, text: string): Promise<string> {
    return this.#device.say(jid, text);
  }

  /** Resolves when it has read a text. */
  async read(text: string): Promise<void> {
    await this.#device.text(text);
  }

  /** Ends the program: its folder changes no more. */
  async stop(): Promise<void> {
    await this.#device.stop();
    this.#running.abort();
    await this.#saved();
  }

  #keepSaved(): void {
    this.#device.socket.ev.on('creds.update', () => this.#saved());
  }
}
