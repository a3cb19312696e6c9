import { proto } from '@whiskeysockets/baileys';
import type { RawData, WebSocket } from 'ws';
import { type Clock, callAt } from '../../domain/clock.js';
import { unlink } from '../routing/devices.js';
import type { ClientConnection, Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { type Registration, readRegistration } from '../state/registration.js';
import { FrameReader, frame, ProtocolError } from '../wire/frames.js';
import { jsonOf } from '../wire/json.js';
import { NoiseResponder, type Transport } from '../wire/noise.js';
import { decodeStanza, encodeStanza, failure, type Stanza, stanza } from '../wire/stanza.js';
import { dispatch } from './dispatch.js';
import { login } from './login.js';
import type { NetworkParts } from './network-parts.js';

const HANDSHAKE_MS = 20_000;
/**
 * After a last stanza the network waits for the client to close. A close frame in the same instant may overtake the stanza in
 * the client (whatsmeow reads both concurrently), which then does not learn why its connection ended.
 */
const CLOSE_MS = 1_500;

/**
 * One client's socket, from the handshake on. Handles stanzas strictly in their order. Malformed input closes this
 * socket and nothing else.
 */
export class Connection implements ClientConnection {
  readonly address: string;
  registration?: Registration | undefined;
  companion?: Companion | undefined;
  readonly #network: Network;
  readonly #parts: NetworkParts;
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
  #cancelClose: () => void = () => undefined;
  readonly #silence: SilenceWatch;

  constructor(socket: WebSocket, parts: NetworkParts, address: string) {
    this.address = address;
    const { network } = parts;
    this.#socket = socket;
    this.#network = network;
    this.#parts = parts;
    network.connections.add(this);
    this.#noise = new NoiseResponder(network.authority.server);
    this.#late = new LateQueue(network.clock, (received) => this.#guard(() => this.#takeLate(received)));
    this.#cancelHandshake = network.clock.after(HANDSHAKE_MS, () => this.cut());
    this.#silence = new SilenceWatch(network.clock, network.silenceMs);
    socket.on('message', (data) => this.#guard(() => this.#receive(asBuffer(data))));
    socket.on('error', (error) => network.log?.debug({ err: error }, 'socket error'));
    socket.on('close', () => this.#closed());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Stanzas of one turn of the event loop leave in one WebSocket message. */
  send(sent: Stanza): void {
    this.#network.stats.stanzasOut++;
    this.#show('out', sent);
    this.sendRaw(encodeStanza(sent));
  }

  sendRaw(bytes: Buffer): void {
    if (this.#isClosed || this.#isMute || !this.#transport) return;
    this.#queue(frame(this.#transport.encrypt(bytes)));
  }

  close(last?: Stanza): void {
    if (last) this.send(last);
    this.#flush();
    this.#isClosed = true;
    this.#silence.stop();
    if (last) this.#cancelClose = this.#network.clock.after(CLOSE_MS, () => this.#socket.close());
    else this.#socket.close();
    this.#leave();
  }

  watchSilence(): void {
    this.#silence.start(() => {
      this.#network.stats.dropped++;
      this.#network.log?.info({}, 'dropping a silent connection');
      this.cut();
    });
  }

  replace(): void {
    this.#network.stats.conflicts++;
    this.close(stanza('stream:error', {}, [stanza('conflict', { type: 'replaced' })]));
  }

  unlink(last: Stanza, companion = this.companion): void {
    if (companion && companion.account.companions.get(companion.id) === companion)
      unlink(this.#network, companion, { last });
    if (!this.#isClosed) this.close(last);
  }

  cut(): void {
    this.#isClosed = true;
    this.#silence.stop();
    this.#socket.terminate();
    this.#leave();
  }

  mute(): void {
    this.#isMute = true;
    this.#silence.stop();
    this.#socket.pause();
    this.#leave();
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
      this.#greet(message.clientHello ?? {});
      return;
    }
    const { static: key, payload } = message.clientFinish ?? {};
    if (!key || !payload) throw new ProtocolError('the second message does not finish the handshake');
    this.#finishHandshake(this.#noise.finish(key, payload));
  }

  /** A hello with a key and a payload resumes: the client knows the server's key from an earlier connection. */
  #greet({ ephemeral, static: key, payload }: proto.HandshakeMessage.IClientHello): void {
    if (!ephemeral) throw new ProtocolError('the first message is no hello');
    const certificate = this.#network.certificate();
    const isResuming = key && payload && !this.#network.faults.take('refuse-resume');
    const resumed = isResuming
      ? this.#noise.resume({ ephemeral, static: key, payload }, certificate)
      : undefined;
    const pattern = key ? 'XXfallback' : 'XX';
    const serverHello = resumed?.serverHello ?? this.#noise.hello(ephemeral, certificate, pattern);
    this.#queue(frame(proto.HandshakeMessage.encode({ serverHello }).finish()));
    // in a message of its own: clients read one frame of it (whatsapp-rust `handshake.rs`), and the login takes a moment
    this.#flush();
    this.#greeted = true;
    if (resumed) {
      this.#network.stats.resumed++;
      this.#finishHandshake(resumed.finished);
    }
  }

  #finishHandshake(finished: { clientKey: Buffer; payload: Buffer }): void {
    this.#transport = this.#noise.split();
    this.#cancelHandshake();
    this.#welcome(proto.ClientPayload.decode(finished.payload), finished.clientKey);
  }

  #welcome(payload: proto.ClientPayload, clientKey: Buffer): void {
    if (!this.#network.rules.accepts(payload.userAgent?.appVersion)) {
      this.#network.stats.outdated++;
      this.close(failure('405'));
      return;
    }
    if (payload.username) {
      login(this, this.#network, {
        pn: String(payload.username),
        device: payload.device ?? 0,
        clientKey,
        payload,
      });
      return;
    }
    this.registration = readRegistration(payload, clientKey);
    this.#parts.pairing.admit(this);
  }

  #take(received: Stanza): void {
    this.#network.stats.stanzasIn++;
    this.#show('in', received);
    const order = this.#network.faults.take('delay', this.companion?.account);
    if (order || !this.#late.isEmpty) this.#late.add(received, order?.ms ?? 0);
    else this.#dispatch(received);
  }

  #takeLate(received: Stanza): void {
    if (!this.#isClosed && !this.#isMute) this.#dispatch(received);
  }

  /** Shows a stanza to streams that ask for all of them. */
  #show(direction: 'in' | 'out', shown: Stanza): void {
    const { account, id: device = 0 } = this.companion ?? {};
    this.#network.stanzas.emit(() => ({
      type: 'stanza',
      number: account?.number ?? '',
      device,
      direction,
      stanza: jsonOf(shown),
    }));
  }

  /** Detaches the connection from its device; the socket may stay open. */
  #leave(): void {
    this.#parts.pairing.leave(this);
    const { companion } = this;
    if (companion?.connection !== this) return;
    companion.connection = undefined;
    companion.mailbox.shut();
    this.#network.reportDevice(companion, 'disconnected');
  }

  #dispatch(received: Stanza): void {
    dispatch({ ...this.#parts, connection: this }, received);
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
    this.#cancelClose();
    this.#silence.stop();
    this.#late.clear();
    this.#leave();
    this.#network.connections.delete(this);
  }
}

function asBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** Delays items, and passes them on in the order in which they came. */
class LateQueue<Thing> {
  readonly #clock: Clock;
  readonly #handOn: (thing: Thing) => void;
  #waiting: { thing: Thing; due: number }[] = [];
  #cancel?: () => void;

  constructor(clock: Clock, handOn: (thing: Thing) => void) {
    this.#clock = clock;
    this.#handOn = handOn;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Delays an item by `ms`, and longer if an earlier item is still waiting. */
  add(thing: Thing, ms: number): void {
    this.#waiting.push({ thing, due: this.#clock.now() + ms });
    if (this.#waiting.length === 1) this.#await();
  }

  clear(): void {
    this.#cancel?.();
    this.#waiting = [];
  }

  #await(): void {
    const [first] = this.#waiting;
    if (!first) return;
    this.#cancel = callAt(this.#clock, first.due, () => {
      this.#waiting.shift();
      this.#handOn(first.thing);
      this.#await();
    });
  }
}

/**
 * The number of ticks in a silence. Ticks, not a clock: when the sandbox itself was suspended, the client must not be
 * dropped for that time.
 */
const TICKS = 4;

/** Detects a client that has sent nothing for a while. */
class SilenceWatch {
  readonly #clock: Clock;
  readonly #tickMs: number;
  #quietTicks = 0;
  #cancel: () => void = () => undefined;

  /** @param lastsMs the shortest silence, in milliseconds; it is detected at most a quarter later */
  constructor(clock: Clock, lastsMs: number) {
    this.#clock = clock;
    this.#tickMs = lastsMs / TICKS;
  }

  /** Calls back once, when the silence has lasted that long. */
  start(onSilent: () => void): void {
    this.#cancel = this.#clock.after(this.#tickMs, () => {
      this.#quietTicks += 1;
      if (this.#quietTicks > TICKS) onSilent();
      else this.start(onSilent);
    });
  }

  heard(): void {
    this.#quietTicks = 0;
  }

  stop(): void {
    this.#cancel();
  }
}
