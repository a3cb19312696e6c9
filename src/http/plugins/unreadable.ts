import type { Server as Listener } from 'node:http';
import type { Socket } from 'node:net';
import type { Plugin } from '@hapi/hapi';

/** What Node's parser gives up on, by its code; everything else is a bad request. */
const ANSWERS: Readonly<Record<string, { status: string; error: string }>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', error: 'the headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', error: 'the request did not arrive in time' },
};
const BAD_REQUEST = { status: '400 Bad Request', error: 'the request is not valid HTTP' };

/** Answers what cannot even be read as a request in the one form of all errors; hapi would answer without a body. */
export const unreadable: Plugin<undefined> = {
  name: 'unreadable',
  register(server) {
    const { listener }: { listener: Listener } = server;
    const hapis = listener.listeners('clientError');
    const inUse = new WeakSet<Socket>();
    listener.on('request', ({ socket }, response) => {
      inUse.add(socket);
      response.once('close', () => inUse.delete(socket));
    });
    listener.removeAllListeners('clientError');
    listener.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      // the request before it on this connection is still being answered: hapi knows how far that is
      if (inUse.has(socket)) for (const listen of hapis) Reflect.apply(listen, listener, [error, socket]);
      else if (socket.writable) socket.end(answerTo(error.code ?? ''));
      else socket.destroy(error);
    });
  },
};

function answerTo(code: string): string {
  const { status, error } = ANSWERS[code] ?? BAD_REQUEST;
  const body = JSON.stringify({ error });
  const headers = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`];
  return [`HTTP/1.1 ${status}`, ...headers, 'Connection: close', '', body].join('\r\n');
}
