import { Readable } from 'node:stream';
import Boom from '@hapi/boom';
import type { Lifecycle, Plugin, Request, ResponseToolkit } from '@hapi/hapi';
import type { Registry } from 'prom-client';
import type { MonotonicClock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { CLIENT_ID } from '../../../domain/ids.js';
import { traceHeaders } from '../../../domain/tracing.js';
import {
  ASTRAY,
  ELSEWHERE,
  Forwarder,
  type ForwardOutcome,
  type ForwardRequest,
  NOT_HERE_HEADER,
} from '../../cluster/forward.js';
import { HOP_HEADER, type NodeAuth } from '../../cluster/node-auth.js';
import type { Owners, PeerNode } from '../../cluster/owners.js';
import { decideRoute, enterForwarded, RetryBudget } from '../../cluster/routing.js';
import { confinedTo, namedClientIds } from '../caller.js';
import { goneSignal } from '../gone.js';
import { cameFromNode } from '../peers.js';
import type { RequestLimits } from '../request-limits.js';

/** Status in the log when the caller closed the connection. */
const CALLER_GONE = 499;

declare module '@hapi/hapi' {
  interface PluginsStates {
    /** Set on a request that is answered here because this node holds its session. */
    active?: ActiveRequest;
    /** The name of the node that the request was last forwarded to. */
    sentTo?: string;
  }
}

interface OwnerOptions {
  owners: Owners;
  nodeAuth: NodeAuth;
  clock: MonotonicClock;
  registry: Registry;
  limits: RequestLimits;
}

/**
 * Forwards a request for a session to the node that holds it: once, and unchanged. A session stays on this node while a
 * request for it is answered here.
 */
export const owner: Plugin<OwnerOptions> = {
  name: 'owner',
  register(server, { owners, nodeAuth, clock, registry, limits }) {
    const forwarder = new Forwarder(owners, nodeAuth, clock, registry);
    server.ext('onRequest', (request, h) => {
      const to = verifyHop(request, nodeAuth);
      if (to === undefined || to === owners.self.nodeId) return h.continue;
      // never forward again, which could loop for ever
      const { name } = owners.self;
      const error = `this is node ${name}, not the node that was asked: check the --node-url of that node`;
      return notHere(h, ASTRAY, error);
    });
    // after the auth plugin has checked the caller's permission, and before validation
    server.ext('onPostAuth', async (request, h) => {
      const { owner: ownedBy, creates = false } = request.route.settings.app ?? {};
      const clientId = ownedBy === 'session' ? await sessionOf(request) : undefined;
      if (clientId === undefined) return h.continue;
      if (!cameFromNode(request)) return bring(request, h, clientId, creates);
      const leave = await enterForwarded(owners, clientId, creates);
      if (leave) return answerHere(request, h, clientId, leave);
      return notHere(h, ELSEWHERE, `session ${clientId} is not held by this node`);
    });
    server.events.on('response', ({ plugins }) => plugins.active?.answered());
    server.ext('onPostStop', () => forwarder.close());

    /** Looks for the session's node until a node has answered or the retry budget is spent. */
    async function bring(request: Request, h: ResponseToolkit, clientId: string, creates: boolean) {
      let route = await decideRoute(owners, clientId, creates);
      if (route.to === 'handler') return answerHere(request, h, clientId, route.leave);
      const forwarded = toForward(request, clientId);
      const budget = new RetryBudget(clock, forwarded.gone);
      while (route.to !== 'handler') {
        let failure = unheld(clientId);
        if (route.to === 'node') {
          request.plugins.sentTo = route.node.name;
          const outcome = await forwarder.forward(forwarded, route.node);
          if (outcome.result === 'answered') return h.response(outcome.answer).takeover();
          if (outcome.result === 'left') throw callerGone();
          failure = failureOf(outcome, clientId, route.node);
          if (!outcome.mayRepeat) {
            owners.distrust(clientId);
            throw failure;
          }
        }
        owners.distrust(clientId);
        if (!(await budget.next())) throw forwarded.gone.aborted ? callerGone() : failure;
        route = await decideRoute(owners, clientId, creates);
      }
      return answerHere(request, h, clientId, route.leave);
    }

    function answerHere(request: Request, h: ResponseToolkit, clientId: string, leave?: () => void) {
      try {
        limits.enterSession(request, clientId);
      } catch (error) {
        leave?.();
        throw error;
      }
      return holdSession(request, h, leave);
    }
  },
};

/** A request that this node answers. It ends when the answer is sent and the work is done, which may take longer than the caller stays. */
class ActiveRequest {
  readonly #leave: () => void;
  #working = 0;
  #isAnswered = false;

  /** @param leave called once, at the end */
  constructor(leave: () => void) {
    this.#leave = leave;
  }

  async during(work: () => Lifecycle.ReturnValue): Promise<Lifecycle.ReturnValueTypes> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      if (this.#isAnswered) this.#leaveWhenDone();
    }
  }

  /** Called once, when the answer is sent or the caller has gone. */
  answered(): void {
    this.#isAnswered = true;
    this.#leaveWhenDone();
  }

  #leaveWhenDone(): void {
    if (this.#working === 0) this.#leave();
  }
}

/** The session stays on this node while the request is answered. */
function holdSession(request: Request, h: ResponseToolkit, leave?: () => void): Lifecycle.ReturnValueTypes {
  if (!leave) return h.continue;
  const active = new ActiveRequest(leave);
  // the caller has gone during the look-up of the node: no response event follows
  if (request.info.completed > 0) active.answered();
  else request.plugins.active = active;
  return h.continue;
}

/**
 * Notes which node forwarded a request; ignores a header without proof.
 * @returns the nodeId that the request is addressed to; undefined for a caller's request
 */
function verifyHop(request: Request, nodeAuth: NodeAuth): string | undefined {
  const header: unknown = request.headers[HOP_HEADER];
  if (header === undefined) return undefined;
  delete request.headers[HOP_HEADER];
  const path = request.raw.req.url ?? '';
  const hop = nodeAuth.verify(String(header), { method: request.method.toUpperCase(), path });
  if (hop) request.plugins.hop = hop;
  return hop?.to;
}

/** Refuses a forwarded request, without side effects and without asking another node. */
function notHere(h: ResponseToolkit, reason: string, error: string): Lifecycle.ReturnValueTypes {
  return h
    .response({ error })
    .code(503)
    .header(NOT_HERE_HEADER, reason)
    .header('retry-after', '1')
    .takeover();
}

/**
 * The session that a request is about, before validation.
 * @returns undefined if the request names none or several, or if its body is malformed: any node can refuse it
 */
async function sessionOf(request: Request): Promise<string | undefined> {
  const { payload } = request;
  // JSON may also be a single word or number
  if (!(payload instanceof Readable || payload === undefined || typeof payload === 'object'))
    return undefined;
  const found = await request.route.settings.app?.sessionOf?.(request);
  const named = new Set([...namedClientIds(request), ...(found === undefined ? [] : [found])]);
  const own = confinedTo(request);
  const [clientId, ...others] = named;
  if (clientId === undefined || others.length > 0 || !CLIENT_ID.test(clientId)) return undefined;
  return own === undefined || own.includes(clientId) ? clientId : undefined;
}

function toForward(request: Request, clientId: string): ForwardRequest {
  const { headers, payload, info, server } = request;
  const forwardedFor = [headers['x-forwarded-for'] ?? [], info.remoteAddress].flat().join(',');
  return {
    clientId,
    method: request.method.toUpperCase(),
    target: request.raw.req.url ?? '/',
    rights: request.auth.credentials?.user,
    headers: {
      'x-forwarded-port': String(info.remotePort),
      'x-forwarded-proto': server.info.protocol,
      'x-forwarded-host': info.host,
      ...headers,
      ...traceHeaders(request.plugins.span?.context),
      'x-forwarded-for': forwardedFor,
    },
    payload: typeof payload === 'object' ? payload : undefined,
    gone: goneSignal(request),
  };
}

function callerGone(): Boom.Boom {
  return new Boom.Boom('the caller is gone', { statusCode: CALLER_GONE });
}

function failureOf(
  { result, cause }: Exclude<ForwardOutcome, { result: 'answered' | 'left' }>,
  clientId: string,
  { name }: PeerNode,
): GatewayError {
  if (result === 'elsewhere') return unheld(clientId);
  const holder = `node ${name}, which holds session ${clientId},`;
  const messages = {
    unreachable: `${holder} cannot be reached: nothing was done; try again in a moment`,
    refused: `${holder} does not accept what this node sends: nothing was done; set the clocks of both`,
    cut_off:
      `node ${name} was lost before it answered: what was asked for may have been done or not; ` +
      'repeat it, and a send with the same Idempotency-Key',
  };
  return new GatewayError('node_unreachable', messages[result], { cause });
}

function unheld(clientId: string): GatewayError {
  return new GatewayError(
    'session_unheld',
    `session ${clientId} is on its way to another node: nothing was done; try again in a moment`,
  );
}
