import { connect, createServer, type Socket } from 'node:net';
import { Chance } from '../../support/chance.js';

/*
 * A hostile broker as a program of its own, so that the test measures the daemon's side alone. Arguments: the port of a real broker of the kind,
 * and a seed. Prints its port. Each connection gets one stream of bytes, drawn by the seed and the number of the connection.
 */

const [realPort = 0, seed = 0] = process.argv.slice(2).map(Number);

/** Beginnings that parsers take for lengths, counts or answers. */
const HEX = [
  ...['ffffffff', '7fffffff', '80000000', '00000000', 'fffffffe', '00000004ffffffff', '0000000400000001'],
  ...['0000007f00000001', '00ffffff00000001', '01000000000000ce', '010000ffffffff', '0100007fffffff'],
  ...['08000000000000ce', '01000000000004000a000ace'],
];
const TEXTS = [
  ...[
    'INFO {}\r\n',
    'INFO {"max_payload":-1,"headers":true}\r\n',
    'INFO {"nonce":1,"auth_required":true}\r\n',
  ],
  ...['INFO {"headers":true,"max_payload":1e308}\r\nPING\r\n', 'INFO [\r\n', 'INFO "a"\r\n', 'INFO null\r\n'],
  ...['INFO {"headers":true,"max_payload":1048576,"connect_urls":["10.0.0.1:1"]}\r\nMSG a 1 999999999\r\n'],
  ...[
    'INFO {"headers":true,"max_payload":1048576}\r\n+OK\r\nPONG\r\nHMSG a 1 -5 -1\r\n',
    '-ERR \r\n',
    'MSG\r\n',
  ],
  ...[
    '+OK\r\n',
    '-ERR\r\n',
    ':\r\n',
    '$-5\r\n',
    '$999999999999\r\n',
    '*2147483647\r\n',
    '*-1\r\n',
    '%5\r\n',
    '~-9\r\n',
  ],
  ...[
    '*1\r\n'.repeat(2_000),
    '%1\r\n'.repeat(2_000),
    '>3\r\n+a\r\n',
    '=5\r\ntxt\r\n',
    '(1e9\r\n',
    ',inf\r\n',
    '#x\r\n',
  ],
  ...['HTTP/1.1 200 OK\r\n\r\n', 'AMQP\0\0\x09\x01', '\x16\x03\x01\x02\0\x01\0'],
];
const BEGINNINGS: readonly Buffer[] = [
  ...HEX.map((hex) => Buffer.from(hex, 'hex')),
  ...TEXTS.map((text) => Buffer.from(text, 'latin1')),
];

const FLOOD_BYTES = 1_200_000;

let taken = 0;
const server = createServer((socket) => {
  const chance = new Chance((seed + ++taken * 7_919) >>> 0);
  socket.on('error', () => undefined);
  play(socket, chance);
});
let ownPort = 0;
// every address of this machine: the test gives each stream one of its own
server.listen(0, '0.0.0.0', () => {
  const address = server.address();
  ownPort = typeof address === 'object' && address ? address.port : 0;
  process.stdout.write(`${ownPort}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();

function play(socket: Socket, chance: Chance): void {
  const kind = chance.between(0, 19);
  if (kind < 9) {
    relay(socket, chance);
    return;
  }
  socket.resume();
  const beginning = BEGINNINGS[chance.between(0, BEGINNINGS.length - 1)] ?? Buffer.alloc(0);
  if (kind < 12) socket.end(someBytes(chance, chance.between(1, 4_096)));
  else if (kind < 13) socket.end(Buffer.alloc(chance.between(1, 2_000)));
  else if (kind < 17) socket.end(Buffer.concat([beginning, someBytes(chance, chance.between(0, 512))]));
  else if (kind < 18) drip(socket, beginning.subarray(0, 24));
  else if (kind < 19) socket.end(Buffer.alloc(chance.between(1, FLOOD_BYTES), beginning));
  // the last kind is silence, until the client goes
}

/** Passes on what a real broker answers, cut off or changed at some place. */
function relay(socket: Socket, chance: Chance): void {
  const real = connect(realPort, '127.0.0.1');
  real.on('error', () => socket.destroy()).on('close', () => socket.end());
  socket.on('close', () => real.destroy()).pipe(real);
  const at = chance.between(0, 600);
  const change = chance.pick(cut, flip, flip, flip, insert, enlarge, repeat);
  let passed = 0;
  let isChanged = false;
  real.on('data', (chunk) => {
    const bytes = advertised(Buffer.from(chunk));
    const place = at - passed;
    passed += bytes.length;
    if (isChanged || place >= bytes.length) {
      socket.write(bytes);
      return;
    }
    isChanged = true;
    const changed = change(bytes, Math.max(0, place), chance);
    if (changed) socket.write(changed);
    else socket.end(bytes.subarray(0, place));
  });
}

/** A Kafka broker names its own port: the client must come back to this program. */
function advertised(bytes: Buffer): Buffer {
  const port = Buffer.alloc(4);
  port.writeInt32BE(realPort);
  const at = bytes.indexOf(port);
  if (at >= 0) bytes.writeInt32BE(ownPort, at);
  return bytes;
}

/** A change of the bytes of a real broker at a place; undefined to end there. */
type Change = (bytes: Buffer, place: number, chance: Chance) => Buffer | undefined;

const cut: Change = () => undefined;
const flip: Change = (bytes, place, chance) => {
  for (let count = chance.between(1, 4); count > 0; count--) {
    const at = Math.min(bytes.length - 1, place + chance.between(0, 8));
    bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.between(0, 7));
  }
  return bytes;
};
const insert: Change = (bytes, place, chance) =>
  Buffer.concat([bytes.subarray(0, place), someBytes(chance, chance.between(1, 64)), bytes.subarray(place)]);
const enlarge: Change = (bytes, place, chance) => {
  const length = Buffer.from(chance.pick('ffffffff', '7fffffff', '80000000', '00000000'), 'hex');
  return Buffer.concat([bytes.subarray(0, place), length, bytes.subarray(place + length.length)]);
};
const repeat: Change = (bytes, place, chance) =>
  Buffer.concat([bytes, ...Array.from({ length: chance.between(1, 40) }, () => bytes.subarray(place))]);

function drip(socket: Socket, bytes: Buffer): void {
  let sent = 0;
  const next = () => {
    if (socket.destroyed || sent === bytes.length) socket.end();
    else socket.write(bytes.subarray(sent, ++sent), () => setTimeout(next, 5));
  };
  next();
}

function someBytes(chance: Chance, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => chance.between(0, 255)));
}
