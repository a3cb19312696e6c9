import type { ClientConnection, Companion } from '../../state/account.js';
import { IqError } from '../../wire/refusals.js';
import { child, type Stanza, type StanzaContent } from '../../wire/stanza.js';
import type { NetworkParts } from '../network-parts.js';

/** A client's connection, and the parts that handle its stanzas. */
export interface Client extends NetworkParts {
  connection: ClientConnection;
}

/** A client's query. */
export interface IqRequest extends Client {
  iq: Stanza;
  /** The first element of the query. */
  body: Stanza | undefined;
}

/** The result of a query and what follows once it is sent; `silence` answers nothing at all. */
export type IqAnswer = { content?: StanzaContent; after?: () => void } | 'silence';

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
