import { proto } from '@whiskeysockets/baileys';
import type { RawData, WebSocket } from 'ws';
import type { Companion } from './companion.js';
import { dispatch } from './dispatch.js';
import { delay } from './faults/delay.js';
import { LateQueue } from './late-queue.js';
import { login } from './login.js';
import type { Network } from './network.js';
import { type Registration, readRegistration } from './pairing/registration.js';
import { SilenceWatch } from './silence.js';
import { decodeStanza, encodeStanza } from './wire/codec.js';
import { FrameReader, frame, ProtocolError } from './wire/frames.js';
import { NoiseResponder, type Transport } from './wire/noise.js';
import type { Stanza } from './wire/stanza.js';

const HANDSHAKE_MS = 20_000;

/**
 * One client's socket, from the handshake on. Stanzas are worked off strictly in their order. Whatever a client
 * sends that is malformed closes its own socket and nothing else.
 */
export class Connection {
  /** What an unlinked device presented. */
  registration?: Registration;
  /** The linked device, from login on. */
  companion?: Companion;
  readonly #network: Network;
  readonly #socket: WebSocket;
  readonly #reader = new FrameReader();
  readonly #noise: NoiseResponder;
  #greeted = false;
  #transport?: Transport;
  #outgoing: Buffer[] = [];
  #isMute = false;
  #isClosed = false;
  /** Stanzas that a delay holds back. */
  readonly #late: LateQueue<Stanza>;
  readonly #cancelHandshake: () => void;
  readonly #silence: SilenceWatch;

  constructor(socket: WebSocket, network: Network) {
    this.#socket = socket;
    this.#network = network;
    this.#noise = new NoiseResponder(network.authority.server);
    this.#late = new LateQueue(network.clock, (stanza) => this.#guard(() => this.#takeLate(stanza)));
    this.#cancelHandshake = network.clock.after(HANDSHAKE_MS, () => this.cut());
    this.#silence = new SilenceWatch(network.clock, network.silenceMs);
    socket.on('message', (data) => this.#guard(() => this.#receive(asBuffer(data))));
    socket.on('error', (error) => network.log?.debug({ err: error }, 'socket error'));
    socket.on('close', () => this.#closed());
  }

  /** Sends a stanza. Stanzas of one turn of the event loop leave in one WebSocket message. */
  send(stanza: Stanza): void {
    this.#network.stats.stanzasOut++;
    this.sendRaw(encodeStanza(stanza));
  }

  /** Sends bytes in place of an encoded stanza. */
  sendRaw(bytes: Buffer): void {
    if (this.#isClosed || this.#isMute || !this.#transport) return;
    this.#queue(frame(this.#transport.encrypt(bytes)));
  }

  /** Sends a last stanza, if there is one, and closes in good order. */
  close(last?: Stanza): void {
    if (last) this.send(last);
    this.#flush();
    this.#isClosed = true;
    this.#silence.stop();
    this.#socket.close();
    this.#network.leave(this);
  }

  /** The device is logged in: from now on it is dropped when it falls silent. */
  expectWords(): void {
    this.#silence.start(() => {
      this.#network.stats.dropped++;
      this.#network.log?.info({}, 'a silent connection is dropped');
      this.cut();
    });
  }

  /** Drops the connection without a word. */
  cut(): void {
    this.#isClosed = true;
    this.#silence.stop();
    this.#socket.terminate();
    this.#network.leave(this);
  }

  /** Neither hears nor says anything from now on, but stays open. */
  mute(): void {
    this.#isMute = true;
    this.#silence.stop();
    this.#socket.pause();
    this.#network.leave(this);
  }

  #receive(data: Buffer): void {
    if (this.#isClosed || this.#isMute) return;
    this.#silence.heard();
    for (const bytes of this.#reader.push(data)) {
      if (this.#isClosed) return;
      if (!this.#transport) this.#shakeHands(bytes);
      else this.#take(decodeStanza(this.#transport.decrypt(bytes)));
    }
  }

  #shakeHands(bytes: Buffer): void {
    const message = proto.HandshakeMessage.decode(bytes);
    if (!this.#greeted) {
      const ephemeral = message.clientHello?.ephemeral;
      if (!ephemeral) throw new ProtocolError('the first message is no hello');
      const serverHello = this.#noise.hello(ephemeral, this.#network.certificate);
      this.#queue(frame(proto.HandshakeMessage.encode({ serverHello }).finish()));
      this.#greeted = true;
      return;
    }
    const { static: key, payload } = message.clientFinish ?? {};
    if (!key || !payload) throw new ProtocolError('the second message does not finish the handshake');
    const finished = this.#noise.finish(key, payload);
    this.#transport = this.#noise.split();
    this.#cancelHandshake();
    this.#welcome(proto.ClientPayload.decode(finished.payload), finished.clientKey);
  }

  #welcome(payload: proto.ClientPayload, clientKey: Buffer): void {
    if (payload.username) {
      login(this, this.#network, { pn: String(payload.username), device: payload.device ?? 0, clientKey });
      return;
    }
    this.registration = readRegistration(payload, clientKey);
    this.#network.pairing.admit(this);
  }

  #take(stanza: Stanza): void {
    this.#network.stats.stanzasIn++;
    const order = this.#network.faults.take(delay, this.companion?.account);
    if (order || !this.#late.isEmpty) this.#late.add(stanza, order?.ms ?? 0);
    else dispatch(this.#network, this, stanza);
  }

  #takeLate(stanza: Stanza): void {
    if (!this.#isClosed && !this.#isMute) dispatch(this.#network, this, stanza);
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#network.log?.warn({ err: error }, 'malformed input: the connection is closed');
      this.cut();
    }
  }

  #queue(bytes: Buffer): void {
    if (this.#outgoing.length === 0) queueMicrotask(() => this.#flush());
    this.#outgoing.push(bytes);
  }

  #flush(): void {
    if (this.#outgoing.length === 0 || this.#socket.readyState !== this.#socket.OPEN) return;
    const [only, ...rest] = this.#outgoing;
    const bytes = only && rest.length === 0 ? only : Buffer.concat(this.#outgoing);
    this.#outgoing = [];
    this.#socket.send(bytes);
  }

  #closed(): void {
    this.#isClosed = true;
    this.#cancelHandshake();
    this.#silence.stop();
    this.#late.clear();
    this.#network.leave(this);
    this.#network.connections.delete(this);
  }
}

function asBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
