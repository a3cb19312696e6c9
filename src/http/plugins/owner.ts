import Boom from '@hapi/boom';
import type { Lifecycle, Plugin, Request, ResponseToolkit } from '@hapi/hapi';
import { HOP_HEADER, type Hops } from '../../cluster/hops.js';
import type { PeerNode } from '../../cluster/owners.js';
import { GatewayError } from '../../domain/errors.js';
import {
  ASTRAY,
  ELSEWHERE,
  Forwarding,
  type ForwardingOptions,
  type Letter,
  NOT_HERE_HEADER,
  type Outcome,
} from '../owner/forwarding.js';
import { namedSession } from '../owner/named-session.js';
import { Patience } from '../owner/patience.js';
import { Stay } from '../owner/stay.js';
import { type Wanted, Ways } from '../owner/ways.js';
import { cameFromNode } from '../peers.js';

/** What the log shows for a caller that is gone. */
const CALLER_GONE = 499;

/**
 * Brings a request for a session to the node that holds it: one that came to another node is passed on once, as it is.
 * What is answered here keeps its session here until it is done.
 */
export const owner: Plugin<ForwardingOptions> = {
  name: 'owner',
  register(server, options) {
    const { owners, hops } = options;
    const forwarding = new Forwarding(options);
    const routing = new Routing(options, forwarding);
    server.ext('onRequest', (request, h) => {
      const to = noteHop(request, hops);
      return to === undefined || to === owners.self.nodeId ? h.continue : goneAstray(h, owners.self);
    });
    // the auth plugin has looked by now whom the caller may ask for; nothing is validated yet
    server.ext('onPostAuth', (request, h) => routing.route(request, h));
    server.events.on('response', ({ plugins }) => plugins.stay?.answered());
    server.ext('onPostStop', () => forwarding.close());
  },
};

/**
 * Notes which node a request comes from; a header that proves nothing is as if it were not there.
 * @returns the nodeId of the node that it was sent to; undefined for a caller's request
 */
function noteHop(request: Request, hops: Hops): string | undefined {
  const header: unknown = request.headers[HOP_HEADER];
  if (header === undefined) return undefined;
  delete request.headers[HOP_HEADER];
  const path = request.raw.req.url ?? '';
  const ends = hops.verify(String(header), { method: request.method.toUpperCase(), path });
  if (ends) request.plugins.hop = { from: ends.from };
  return ends?.to;
}

/** Answers what a node sent to another node: to pass it on could send it round for ever. */
function goneAstray(h: ResponseToolkit, { name }: PeerNode): Lifecycle.ReturnValueTypes {
  const error = `this is node ${name}, not the one that was asked, which was here before or tells a wrong --node-url`;
  return notHere(h, ASTRAY, error);
}

/** Nothing has been done, and nobody else is asked. */
function notHere(h: ResponseToolkit, why: string, error: string): Lifecycle.ReturnValueTypes {
  return h.response({ error }).code(503).header(NOT_HERE_HEADER, why).header('retry-after', '1').takeover();
}

class Routing {
  readonly #options: ForwardingOptions;
  readonly #forwarding: Forwarding;
  readonly #ways: Ways;

  constructor(options: ForwardingOptions, forwarding: Forwarding) {
    this.#options = options;
    this.#forwarding = forwarding;
    this.#ways = new Ways(options.owners);
  }

  async route(request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValueTypes> {
    const { owner, creates = false } = request.route.settings.app ?? {};
    const clientId = owner === 'session' ? await namedSession(request) : undefined;
    if (clientId === undefined) return h.continue;
    const wanted = { clientId, creates };
    return cameFromNode(request) ? this.#admit(request, h, wanted) : this.#bring(request, h, wanted);
  }

  /** A request of another node. */
  async #admit(request: Request, h: ResponseToolkit, wanted: Wanted): Promise<Lifecycle.ReturnValueTypes> {
    const leave = await this.#ways.enter(wanted);
    if (leave) return stay(request, h, leave);
    return notHere(h, ELSEWHERE, `session ${wanted.clientId} is not held by this node`);
  }

  /** A request of a caller: looks for the session's node until it is answered, or for long enough. */
  async #bring(request: Request, h: ResponseToolkit, wanted: Wanted): Promise<Lifecycle.ReturnValueTypes> {
    let way = await this.#ways.next(wanted);
    if (way.to === 'handler') return stay(request, h, way.leave);
    const letter = { request, h, clientId: wanted.clientId, gone: whenGone(request) };
    const patience = new Patience(this.#options.clock, letter.gone);
    while (way.to !== 'handler') {
      const step = way.to === 'node' ? await this.#pass(letter, way.node) : unheld(wanted.clientId);
      if (!(step instanceof GatewayError)) return step;
      this.#options.owners.distrust(wanted.clientId);
      if (!(await patience.more())) throw letter.gone.aborted ? callerGone() : step;
      way = await this.#ways.next(wanted);
    }
    return stay(request, h, way.leave);
  }

  /**
   * @returns the answer, or why there is none yet
   * @throws GatewayError when it must not be tried again
   */
  async #pass(letter: Letter, node: PeerNode): Promise<Lifecycle.ReturnValueTypes> {
    const outcome = await this.#forwarding.pass(letter, node);
    if (outcome.result === 'answered') {
      const { answer } = outcome;
      return letter.h
        .response(answer)
        .code(answer.statusCode ?? 502)
        .takeover();
    }
    if (outcome.result === 'left') throw callerGone();
    this.#options.owners.distrust(letter.clientId);
    const error = failureOf(outcome, letter.clientId, node);
    if (outcome.mayRepeat) return error;
    throw error;
  }
}

/** Answers a request here. */
function stay(request: Request, h: ResponseToolkit, leave?: () => void): Lifecycle.ReturnValueTypes {
  if (!leave) return h.continue;
  const stay = new Stay(leave);
  // its caller left while its node was looked for: nobody will tell that it is answered
  if (request.info.completed > 0) stay.answered();
  else request.plugins.stay = stay;
  return h.continue;
}

/** Aborts when a caller goes before it has its answer. */
function whenGone(request: Request): AbortSignal {
  const { events, raw } = request;
  const gone = new AbortController();
  if (!request.active()) gone.abort();
  // told while the request is read, or its body waits to be
  events.once('disconnect', () => gone.abort());
  raw.res.once('close', () => {
    if (!raw.res.writableEnded) gone.abort();
  });
  return gone.signal;
}

function callerGone(): Boom.Boom {
  return new Boom.Boom('the caller is gone', { statusCode: CALLER_GONE });
}

type Failure = Exclude<Outcome, { result: 'answered' | 'left' }>;

function failureOf(failure: Failure, clientId: string, { name }: PeerNode): GatewayError {
  if (failure.result === 'elsewhere') return unheld(clientId);
  const { result, cause } = failure;
  const holder = `node ${name}, which holds session ${clientId},`;
  const messages = {
    unreachable: `${holder} cannot be reached: nothing was done; try again in a moment`,
    refused: `${holder} was started with another --token than this one: nothing was done; start all nodes with the same`,
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
