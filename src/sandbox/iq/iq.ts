import type { Companion } from '../companion.js';
import type { Connection } from '../connection.js';
import type { Network } from '../network.js';
import { child, type Stanza, type StanzaContent } from '../wire/stanza.js';

/** A query that the network refuses. */
export class IqError extends Error {
  override name = 'IqError';
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

/** A client's query. */
export interface IqRequest {
  network: Network;
  connection: Connection;
  iq: Stanza;
  /** The element that says what is wanted. */
  body: Stanza | undefined;
  /** Calls back once the answer is on its way. */
  afterAnswer(callback: () => void): void;
}

/** What a query is answered with: the content of the result, or nothing at all. */
export type IqAnswer = { content?: StanzaContent } | 'silence';

/** Answers the queries of one namespace. @throws IqError */
export interface IqNamespace {
  xmlns: string;
  /** Open to devices that are not linked yet. */
  isOpen?: true;
  answer(request: IqRequest): IqAnswer | Promise<IqAnswer>;
}

/** The result without content. */
export const EMPTY: IqAnswer = {};

/** The linked device that asks. @throws IqError 401 */
export function asker({ connection }: IqRequest): Companion {
  if (!connection.companion) throw new IqError(401, 'not-authorized');
  return connection.companion;
}

/** True for a query of that type whose first element has that tag. */
export function asks({ iq }: IqRequest, type: 'get' | 'set', tag: string): boolean {
  return iq.attrs.type === type && child(iq)?.tag === tag;
}
