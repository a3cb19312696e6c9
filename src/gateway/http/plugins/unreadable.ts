import type { Server as Listener } from 'node:http';
import type { Socket } from 'node:net';
import type { Plugin } from '@hapi/hapi';
import type { ErrorCode } from '../../../domain/errors.js';

interface Refusal {
  status: string;
  code: ErrorCode;
  error: string;
}

/** Answers to requests that Node's parser refuses, by error code; all other codes are bad requests. */
const ANSWERS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'headers_too_large',
    error: 'the headers are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    error: 'the request did not arrive in time',
  },
};
const BAD_REQUEST: Refusal = {
  status: '400 Bad Request',
  code: 'invalid_request',
  error: 'the request is not valid HTTP',
};

/** Answers requests that are not valid HTTP in the form of all errors; hapi would answer without a body. */
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
      // an earlier request on this connection is still being answered: hapi knows its state
      if (inUse.has(socket)) for (const listen of hapis) Reflect.apply(listen, listener, [error, socket]);
      else if (socket.writable) socket.end(answerTo(error.code ?? ''));
      else socket.destroy(error);
    });
  },
};

function answerTo(fault: string): string {
  const { status, code, error } = ANSWERS[fault] ?? BAD_REQUEST;
  const body = JSON.stringify({ error });
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    `X-SN-Error: ${code}`,
  ];
  return [`HTTP/1.1 ${status}`, ...headers, 'Connection: close', '', body].join('\r\n');
}
