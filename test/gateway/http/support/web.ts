import { createServer } from 'node:http';

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const server = createServer((request, response) => {
  request.resume().once('end', () => response.end(PIXEL));
});
server.on('connection', (socket) => socket.unref());
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
// it lives as long as the tests
server.unref();

/** A site for all tests of a process: takes every webhook call, and has the picture at every path. */
export const WEB_URL = `http://127.0.0.1:${Object(server.address()).port}`;
