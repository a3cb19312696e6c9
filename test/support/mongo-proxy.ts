import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** What a driver does with a connection: its first request, later health checks, and the kinds of operations. */
export type Phase = 'handshake' | 'monitor' | 'write' | 'read' | 'cursor';
/** The moment of a cut: before the request, in its middle, after it, in the middle of the reply, after the reply. */
export type Moment = 'before' | 'mid-request' | 'after' | 'mid-reply' | 'replied';
/** How connections break: with a FIN, with a RST, or not at all: their packets are swallowed for ever. */
export type Breakage = 'closed' | 'reset' | 'swallowed';
/** What new connections meet during the cut: none is accepted, each is closed at once, or none is answered. */
export type Door = 'refused' | 'closed' | 'silent';

export interface Cut {
  phase: Phase;
  moment: Moment;
  breakage: Breakage;
  door: Door;
}

export interface MongoProxy {
  port: number;
  /** Cuts all connections at the next such moment. Resolves when it came. */
  cutAt(cut: Cut): Promise<void>;
  /** New connections work again; swallowed ones stay as they are. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

const HEADER = 16;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HELLO = /^(hello|ismaster)$/i;
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);

/** Relays a local port to a MongoDB server, message by message, and cuts it in a given phase of a driver's work. */
export async function startMongoProxy(host: string, port: number): Promise<MongoProxy> {
  let planned: (Cut & { begin(): void }) | undefined;
  let door: Door | 'open' = 'open';
  const pairs = new Set<Pair>();

  const begin = () => {
    if (!planned) return;
    const { breakage, door: next, begin: begun } = planned;
    planned = undefined;
    door = next;
    if (next === 'refused') server.close();
    for (const pair of pairs) pair.break(breakage);
    begun();
  };
  const isDue = (phase: Phase | undefined, ...moments: Moment[]) =>
    planned?.phase === phase && planned !== undefined && moments.includes(planned.moment);

  const accept = (client: Socket) => {
    if (door === 'closed') return void client.destroy();
    const pair = new Pair(client, createConnection({ host, port, noDelay: true }), {
      request(message, phase, send) {
        if (isDue(phase, 'before')) return begin();
        if (isDue(phase, 'mid-request')) {
          send(message.subarray(0, message.length / 2));
          return begin();
        }
        send(message);
        if (isDue(phase, 'after')) begin();
      },
      reply(message, phase, send) {
        if (isDue(phase, 'mid-reply')) {
          send(message.subarray(0, message.length / 2));
          return begin();
        }
        send(message);
        if (isDue(phase, 'replied')) begin();
      },
    });
    pairs.add(pair);
    if (door === 'silent') pair.break('swallowed');
    client.on('close', () => pairs.delete(pair));
  };
  const server = createServer({ noDelay: true }, accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = portOf(server);
  return {
    port: own,
    cutAt: (cut) =>
      new Promise((resolve) => {
        planned = { ...cut, begin: resolve };
      }),
    async restore() {
      planned = undefined;
      if (!server.listening) {
        server.listen(own, '127.0.0.1');
        await once(server, 'listening');
      }
      door = 'open';
    },
    async stop() {
      for (const pair of pairs) pair.break('reset');
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

type Pass = (message: Buffer, phase: Phase | undefined, send: (part: Buffer) => void) => void;

/** One connection of a client, with its connection to the server. */
class Pair {
  readonly #client: Socket;
  readonly #server: Socket;
  /** By the number of the request. */
  readonly #phases = new Map<number, Phase | undefined>();
  #isFirst = true;
  #isBroken = false;

  constructor(client: Socket, server: Socket, pass: { request: Pass; reply: Pass }) {
    this.#client = client;
    this.#server = server;
    const requests = messagesOf((message) => {
      const phase = this.#phaseOf(message);
      this.#phases.set(message.readInt32LE(4), phase);
      pass.request(message, phase, (part) => this.#isBroken || server.write(part));
    });
    const replies = messagesOf((message) => {
      const phase = this.#phases.get(message.readInt32LE(8));
      pass.reply(message, phase, (part) => this.#isBroken || client.write(part));
    });
    client.on('data', (chunk) => this.#isBroken || requests(chunk));
    server.on('data', (chunk) => this.#isBroken || replies(chunk));
    client.on('error', () => {}).on('close', () => server.destroy());
    server.on('error', () => {}).on('close', () => this.#isBroken || client.destroy());
  }

  break(how: Breakage): void {
    if (this.#isBroken && how !== 'reset') return;
    this.#isBroken = true;
    this.#server.destroy();
    // a socket that is not read swallows until the buffers are full
    if (how === 'swallowed') this.#client.pause();
    else if (how === 'reset') this.#client.resetAndDestroy();
    else this.#client.destroySoon();
  }

  #phaseOf(message: Buffer): Phase | undefined {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const command = commandOf(message);
    if (HELLO.test(command)) return isFirst ? 'handshake' : 'monitor';
    if (WRITES.has(command)) return 'write';
    if (command === 'getMore') return 'cursor';
    return command === 'find' || command === 'aggregate' ? 'read' : undefined;
  }
}

/** Collects chunks to whole messages. */
function messagesOf(take: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      take(message);
    }
  };
}

/** The name of a command is the first field of its document. */
function commandOf(message: Buffer): string {
  const opCode = message.readInt32LE(12);
  if (opCode === OP_MSG) return firstField(message, HEADER + 5);
  if (opCode !== OP_QUERY) return '';
  const end = message.indexOf(0, HEADER + 4);
  return firstField(message, end + 9);
}

function firstField(message: Buffer, document: number): string {
  const start = document + 5;
  return message.toString('utf8', start, message.indexOf(0, start));
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return address.port;
}
