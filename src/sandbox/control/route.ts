import type { Lifecycle, Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import { checkAnswer, unlistedCode } from '../../contract/check.js';
import { type ControlOperation, controlErrorsOf, statusOf } from '../../contract/sandbox/operation.js';
import type { NetworkParts } from '../clients/network-parts.js';
import { Refusal } from '../wire/refusals.js';

/** Dependencies of handlers. */
export interface ControlParts extends NetworkParts {
  /** Fail a request whose answer breaks the contract. */
  checkAnswers: boolean;
}

/** Types of the validated parts of a request. */
interface Inputs<Query, Body, Params> {
  Query: Query;
  Payload: Body;
  Params: Params;
}

/** Adds a route to a server. */
export type Route = (server: Server, parts: ControlParts) => void;

/**
 * Makes a route of an operation: the contract validates what the handler gets, and its types fix the answer. A handler of
 * an operation without an answer returns nothing.
 */
export function route<
  Query extends object,
  Body extends object,
  Params extends object,
  Answer extends object,
>(
  operation: ControlOperation<Query, Body, Params, Answer>,
  handler: (
    request: Request<Inputs<Query, Body, Params>>,
    parts: ControlParts,
    h: ResponseToolkit<Inputs<Query, Body, Params>>,
  ) => Answer | ResponseObject | undefined | Promise<Answer | ResponseObject | undefined>,
): Route {
  const { method, path, query, params, body, takesFile, maxBytes } = operation;
  return (server, parts) =>
    server.route<Inputs<Query, Body, Params>>({
      method,
      path,
      options: {
        payload:
          method !== 'GET'
            ? {
                ...(maxBytes !== undefined && { maxBytes }),
                ...(takesFile && { output: 'stream', parse: false }),
              }
            : undefined,
        validate: {
          query,
          params,
          payload: body,
        },
      },
      async handler(request, h): Promise<Lifecycle.ReturnValueTypes> {
        const answer = await inContract(operation, parts, async () => handler(request, parts, h));
        if (answer === undefined || typeof operation.answer !== 'string')
          return h.response(answer).code(statusOf(operation));
        return answer;
      },
    });
}

/** Runs a handler, and checks its answer, or the code of its failure. @throws Error if it is not in the contract */
async function inContract<T>(
  operation: ControlOperation,
  { checkAnswers }: ControlParts,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const answer = await work();
    if (checkAnswers) checkAnswer(operation, answer);
    return answer;
  } catch (error) {
    if (!checkAnswers || !(error instanceof Refusal) || controlErrorsOf(operation).includes(error.code))
      throw error;
    throw unlistedCode(operation, error.code, error);
  }
}
