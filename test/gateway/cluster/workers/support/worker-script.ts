import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentOfWorker } from '../../../../../src/gateway/cluster/workers/channel.js';

/**
 * A worker that only tells who it is, as a program of its own. Its first argument may name the one that fails at its start,
 * its second one the one that never gets ready.
 */
const { pid, env, argv } = process;
const [, , failing, stuck] = argv;
const { SWITCHBOARD_NODE_NAME: name, SWITCHBOARD_PORT: port } = env;
const parent = parentOfWorker();
const self = JSON.stringify({ pid, argv: argv.slice(2), env });
const server = createServer((_request, response) => response.end(self));
if (name === failing) {
  await parent?.failed('the reason why');
  process.exit(1);
}
if (name !== stuck) {
  server.listen(Number(port), '127.0.0.1', () => {
    const { port: own }: AddressInfo = Object(server.address());
    parent?.ready(`http://127.0.0.1:${own}`);
  });
}
await parent?.aborted;
process.exit();
