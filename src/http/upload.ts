import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Lifecycle, Request, RouteOptions } from '@hapi/hapi';
import type { ObjectSchema } from 'joi';
import { readJson } from './body.js';
import { requireOwn } from './caller.js';

/** The content type of a body that stays a stream. */
export const FORM = 'multipart/form-data';

/** What a route takes as JSON or as a form. */
export interface Upload {
  /** Bytes of the whole body. */
  maxBytes: number;
  /** For the documentation; the route validates what it reads. */
  inputs: { body: ObjectSchema; form: ObjectSchema };
}

/** A form as it comes, instead of in memory: it may be larger than that. Its time is bounded by the listener's. */
export function uploadOptions({ maxBytes }: Upload): Pick<RouteOptions, 'payload' | 'ext'> {
  return {
    payload: {
      allow: ['application/json', FORM],
      output: 'stream',
      parse: 'gunzip',
      maxBytes,
      timeout: false,
    },
    ext: {
      // the first step after the body is there
      onCredentials: { method: expectFailure, options: { before: ['auth'] } },
      onPostAuth: { method: readText, options: { before: ['owner'] } },
      onPreResponse: { method: letFinish },
    },
  };
}

/** A request that is refused before anybody reads its body must not end the process when that body is broken too. */
const expectFailure: Lifecycle.Method = ({ payload }, h) => {
  if (payload instanceof Readable) payload.on('error', () => undefined);
  return h.continue;
};

/** JSON names the session, so it is read before the session's node is looked for. A form stays a stream. */
const readText: Lifecycle.Method = async (request, h) => {
  const { payload, mime } = request;
  if (!(payload instanceof Readable) || mime === FORM) return h.continue;
  Object.assign(request, { payload: await readJson(payload) });
  // it was not there yet when the query was looked at
  requireOwn(request);
  return h.continue;
};

/** An answer on a connection that is closed while the client still sends is lost: lets it finish first, unless it waits. */
const letFinish: Lifecycle.Method = async (request, h) => {
  const { req } = request.raw;
  if (!waitsForLeave(request) && !req.destroyed) {
    // what is packed flows through what unpacks it
    if (request.payload instanceof Readable) request.payload.resume();
    req.resume();
    await finished(req, { writable: false }).catch(() => undefined);
  }
  return h.continue;
};

/** True when the client sends its body only when it is told to, and was not told. */
function waitsForLeave({ headers, payload }: Request): boolean {
  return headers.expect !== undefined && payload === undefined;
}
