import type { Socket } from 'node:net';
import { preload } from './hostile.js';

/** What a Kafka broker tells of its cluster. */
export interface PlayedCluster {
  /** The address of the one broker that it advertises. */
  host: string;
  port: number;
  partitions: number;
}

const [PRODUCE, METADATA, API_VERSIONS] = [0, 3, 18];

/** Answers as a Kafka broker does that is asked for its versions and its cluster; nothing else is answered. */
export function playKafka(socket: Socket, cluster: PlayedCluster): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, Buffer.from(chunk)]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE()) {
      const size = rest.readInt32BE();
      const request = rest.subarray(4, 4 + size);
      rest = rest.subarray(4 + size);
      const answer = answerTo(request.readInt16BE(), cluster);
      if (answer) socket.write(kafkaAnswer(request.readInt32BE(4), answer));
    }
  });
}

/** A body with its length and the number of its request. */
export function kafkaAnswer(correlation: number, body: Buffer): Buffer {
  return Buffer.concat([int32(4 + body.length), int32(correlation), body]);
}

/** The body of an answer, without the number of its request; undefined for requests that are not answered. */
export function answerTo(apiKey: number, { host, port, partitions }: PlayedCluster): Buffer | undefined {
  if (apiKey === API_VERSIONS) {
    const apis = [
      [PRODUCE, 3, 7],
      [METADATA, 4, 4],
      [API_VERSIONS, 0, 3],
    ].map((versions) => Buffer.concat([...versions.map(int16), Buffer.from([0])]));
    return Buffer.concat([int16(0), Buffer.from([apis.length + 1]), ...apis, int32(0), Buffer.from([0])]);
  }
  if (apiKey !== METADATA) return undefined;
  const broker = Buffer.concat([int32(1), text(host), int32(port), int16(-1)]);
  const nodes = Buffer.concat([int32(1), int32(1)]);
  const all = Array.from({ length: partitions }, (_, index) =>
    Buffer.concat([int16(0), int32(index), int32(1), nodes, nodes]),
  );
  const topic = Buffer.concat([int16(0), text('wa'), Buffer.from([0]), int32(partitions), ...all]);
  return Buffer.concat([int32(0), int32(1), broker, text('cluster'), int32(1), int32(1), topic]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int16(value.length), Buffer.from(value)]);
}

/**
 * Options of a broker process whose guard is on, and for which one public name leads to this machine, below the guard. Another name has a
 * private address.
 */
export const PUBLIC_NAME = preload(`
  import dns from 'node:dns';
  import { syncBuiltinESMExports } from 'node:module';
  import { Socket } from 'node:net';
  dns.lookup = (name, options, callback) => callback(null, [{ address: '10.0.0.7', family: 4 }]);
  syncBuiltinESMExports();
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (...given) {
    const options = Array.isArray(given[0]) ? given[0][0] : given[0];
    if (options.host === 'public.example') {
      options.host = '127.0.0.1';
      delete options.lookup;
    }
    return connect.apply(this, given);
  };`);
