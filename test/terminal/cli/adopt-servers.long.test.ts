import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { HostileServer } from '../../fuzz/support/hostile-server.js';
import { FuzzRun } from '../../fuzz/support/values.js';
import { type CliEnd, runCli } from '../../support/spawn-cli.js';

const MIB = 1024 * 1024;
/** Milliseconds until a command has given up, as docs/security.md states it. */
const GIVES_UP_MS = 30_000;
/** Bytes of memory that the command may take, with Node.js itself. */
const MOST_MEMORY = 900 * MIB;
/** Exit code of `unreachable`. */
const UNREACHABLE = 3;
const RUN = new FuzzRun(30);

/** Prints the most memory that the command took, in kilobytes, as its last line. */
const MEASURE = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => console.error('memory ' + process.resourceUsage().maxRSS))",
)}`;

/** What a played server does with each piece that it gets; `nth` counts from 0 on each connection. */
type Play = (socket: Socket, given: string, nth: number) => void;

describe('switchboard adopt, from hostile servers', function () {
  this.timeout(120_000);
  const servers: Server[] = [];
  after(() => servers.map((server) => server.close()));

  async function played(play: Play, greet: (socket: Socket) => void = () => undefined): Promise<number> {
    const server = createServer((socket) => {
      let nth = 0;
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => play(socket, bytes.toString('latin1'), nth++));
      greet(socket);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  const run = async (argv: readonly string[]): Promise<CliEnd & { memory: number; tookMs: number }> => {
    const begin = performance.now();
    const end = await runCli(['adopt', ...argv, '--dry-run'], {
      env: { NODE_OPTIONS: `--import=${MEASURE}` },
    });
    const memory = Number(/memory (\d+)/.exec(end.stderr)?.[1] ?? Number.NaN) * 1024;
    return { ...end, memory, tookMs: performance.now() - begin };
  };
  const fazer = (port: number) => run(['fazer', '--redis', `redis://127.0.0.1:${port}`]);
  const evolution = (port: number) =>
    run(['evolution', '--postgres', `postgresql://u:p@127.0.0.1:${port}/e`]);

  /** Holds that the command gave up in time, within its memory, and said why. */
  const holds = (end: Awaited<ReturnType<typeof run>>, reason: RegExp) => {
    expect(end.stderr).to.match(reason);
    expect(end.stderr).to.not.match(/\n\s+at |heap out of memory/);
    expect(end.exitCode).to.equal(UNREACHABLE);
    expect(end.tookMs).to.be.below(GIVES_UP_MS);
    expect(end.memory).to.be.below(MOST_MEMORY);
  };

  it('gives up a server that says nothing', async () => {
    const port = await played(() => undefined);
    const ends = await Promise.all([fazer(port), evolution(port)]);
    holds(ends[0], /no Redis answers at this address: it is silent or too slow/);
    holds(ends[1], /the database of Evolution API cannot be read: it is silent or too slow/);
  });

  it('gives up a server that is silent after the first answers', async () => {
    const redis = await played((socket, given, nth) => nth === 0 && redisAnswers(socket, given));
    const postgres = await played((socket, _given, nth) => nth === 0 && socket.write(WELCOME));
    const ends = await Promise.all([fazer(redis), evolution(postgres)]);
    holds(ends[0], /this Redis cannot be read: it is silent or too slow/);
    holds(ends[1], /cannot be read: it is silent or too slow/);
  });

  describe('switchboard adopt, from a hostile Redis', () => {
    it('gives up an endless list of names, whether names arrive or not', async () => {
      let count = 0;
      const endless = await played((socket, given) => {
        redisAnswers(socket, given, () =>
          page(
            '7',
            Array.from({ length: 1_000 }, () => `${count++}`),
          ),
        );
      });
      const empty = await played((socket, given) => redisAnswers(socket, given, () => page('7', [])));
      const ends = await Promise.all([fazer(endless), fazer(empty)]);
      holds(ends[0], /it lists more than 100000 numbers/);
      holds(ends[1], /its list of names had no end after 20 seconds/);
    });

    it('gives up a name of hundreds of MB', async () => {
      let written = 0;
      const port = await played((socket, given) => {
        redisAnswers(socket, given, () => {
          socket.write('*2\r\n$1\r\n0\r\n*1\r\n$900000000\r\n');
          flood(socket, (bytes) => {
            written += bytes;
          });
          return '';
        });
      });
      holds(await fazer(port), /it sent more than 256 MB, which no number has/);
      expect(written).to.be.below(300 * MIB);
    });

    it('gives up lists that claim more members than memory has room for', async () => {
      const claims = [
        '*33000000\r\n'.repeat(2_000),
        '*999999\r\n'.repeat(2_000),
        '*zzzz\r\n',
        '*0000000000000000000033000000\r\n',
      ];
      for (const claim of claims) {
        const port = await played((socket, given) => redisAnswers(socket, given, () => claim));
        holds(await fazer(port), /it lists more than 1000000 keys of one number/);
      }
    });

    it('gives up a list whose heads come byte by byte', async () => {
      const port = await played((socket, given) => {
        redisAnswers(socket, given, () => {
          socket.setNoDelay(true);
          void dripped(socket, '*999999\r\n*999999\r\n*9999999\r\n');
          return '';
        });
      });
      holds(await fazer(port), /it lists more than 1000000 keys of one number/);
    });
  });

  describe('switchboard adopt, from a hostile PostgreSQL', () => {
    it('gives up a row of hundreds of MB', async () => {
      let written = 0;
      const port = await played((socket, _given, nth) => {
        if (nth === 0) return socket.write(WELCOME);
        socket.write(
          Buffer.concat([
            COLUMN,
            Buffer.from('D'),
            int32(900_000_000),
            Buffer.from([0, 1]),
            int32(899_999_000),
          ]),
        );
        flood(socket, (bytes) => {
          written += bytes;
        });
      });
      holds(await evolution(port), /it sent more than 256 MB, which no number has/);
      expect(written).to.be.below(300 * MIB);
    });

    it('gives up endless rows, also without columns', async () => {
      const row = Buffer.concat([Buffer.from('D'), int32(6), Buffer.from([0, 0])]);
      const port = await played((socket, _given, nth) => {
        if (nth === 0) return socket.write(WELCOME);
        socket.write(COLUMN);
        flood(socket, () => undefined, Buffer.concat(Array.from({ length: 10_000 }, () => row)));
      });
      holds(await evolution(port), /it has more than 100000 instances/);
    });

    it('fails with a reason when its client throws', async () => {
      // a row that claims more columns than it has bytes
      const row = Buffer.concat([Buffer.from('D'), int32(8), Buffer.from([0x7f, 0xff, 0, 0])]);
      const port = await played((socket, _given, nth) => {
        socket.write(nth === 0 ? WELCOME : Buffer.concat([COLUMN, row]));
      });
      holds(await evolution(port), /cannot be read: /);
    });
  });

  it('fails with a reason whatever bytes a server sends', async () => {
    RUN.announce('answers of played stores');
    const garbage = await HostileServer.start(RUN.seed, (prng) =>
      prng.chance(0.5)
        ? prng.bytes(prng.int(1, 4_000))
        : Buffer.from(
            prng.pick([...'RSKZTDCENA*$%~>+-:_#,(!=']) +
              prng.text(prng.int(0, 40), '0123456789\r\n\0\x01\xff*$-'),
          ),
    );
    try {
      for (let done = 0; done < RUN.cases; done += 2) {
        const ends = await Promise.all([fazer(garbage.port), evolution(garbage.port)]);
        for (const end of ends) holds(end, /(no Redis answers at this address|cannot be read): ./);
      }
    } finally {
      await garbage.stop();
    }
  });
});

/** Answers what the client of Redis asks at its beginning with OK, and the list of names with what is given. */
function redisAnswers(socket: Socket, given: string, names: () => string = () => ''): void {
  for (const command of given.split(/(?=\*\d+\r\n)/))
    socket.write(/\bSCAN\b/.test(command) ? names() : '+OK\r\n');
}

function page(cursor: string, names: readonly string[]): string {
  const text = (value: string) => `$${value.length}\r\n${value}\r\n`;
  return `*2\r\n${text(cursor)}*${names.length}\r\n${names.map(text).join('')}`;
}

/** Writes without an end, as fast as the other side reads. */
function flood(socket: Socket, wrote: (bytes: number) => void, bytes = Buffer.alloc(MIB, 'a')): void {
  const more = () => {
    do wrote(bytes.length);
    while (socket.write(bytes) && !socket.destroyed);
  };
  socket.on('drain', more);
  more();
}

async function dripped(socket: Socket, text: string): Promise<void> {
  for (const character of text) {
    await new Promise<void>((resolve) => socket.write(character, () => setImmediate(resolve)));
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A PostgreSQL that asks for no password (`AuthenticationOk`, `ReadyForQuery`). */
const WELCOME = Buffer.concat([
  Buffer.from('R'),
  int32(8),
  int32(0),
  Buffer.from('Z'),
  int32(5),
  Buffer.from('I'),
]);
/** The head of a result with one column of texts (`RowDescription`). */
const COLUMN = Buffer.concat([
  ...[Buffer.from('T'), int32(26), Buffer.from([0, 1]), Buffer.from('x\0')],
  ...[int32(0), Buffer.from([0, 0]), int32(25), Buffer.from([0xff, 0xff]), int32(-1), Buffer.from([0, 0])],
]);
