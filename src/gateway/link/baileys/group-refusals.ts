import { type ErrorCode, GatewayError } from '../../../domain/errors.js';
import { lookupFailed, refusalCode } from './reasons.js';

/** An error for a code of the network. */
type Refusals = Readonly<Record<number, readonly [code: ErrorCode, message: string]>>;

const NO_RIGHT = ['group_forbidden', 'the number is no member of the group, or no admin of it'] as const;
const NO_GROUP = ['group_unknown', 'the network knows no such group'] as const;

const GROUP: Refusals = { 401: NO_RIGHT, 403: NO_RIGHT, 404: NO_GROUP, 410: NO_GROUP };

const NO_INVITE = ['invite_unknown', 'the invite is wrong, or was revoked: ask for a new one'] as const;

/** Codes with another meaning in queries that name an invite (whatsmeow, `JoinGroupWithLink`). */
export const OF_INVITE: Refusals = {
  401: ['group_forbidden', 'an admin removed the number from the group: only an admin can add it again'],
  403: ['group_forbidden', 'the group does not let the number in'],
  404: NO_INVITE,
  406: NO_INVITE,
  409: ['group_conflict', 'the number is a member already, or the group is full'],
  410: NO_INVITE,
  419: ['group_conflict', 'the group is full'],
};

const NOT_ACCEPTED = ['invalid_request', 'the network does not accept the value'] as const;

/** Codes of the creation of a group, whose subject the network checks (run: 406). */
export const OF_CREATION: Refusals = { 406: NOT_ACCEPTED };

/** Codes of a change of a group's settings. */
export const OF_CHANGE: Refusals = {
  400: NOT_ACCEPTED,
  406: NOT_ACCEPTED,
  409: ['group_conflict', 'somebody else changed it at the same time: try again'],
};

/** Codes of a change of a group's picture. */
export const OF_PICTURE: Refusals = {
  406: ['media_unsupported', 'the network does not accept the picture'],
};

/**
 * Waits for a query about a group.
 * @param also the meaning of further codes, or another meaning
 * @throws GatewayError by the network's code; `lookup_failed` for a code without a meaning, or without an answer
 */
export async function asked<T>(query: Promise<T>, also: Refusals = {}): Promise<T> {
  try {
    return await query;
  } catch (error) {
    const status = refusalCode(error);
    const meaning = status === undefined ? undefined : { ...GROUP, ...also }[status];
    if (!meaning) throw lookupFailed(error);
    const [code, message] = meaning;
    throw new GatewayError(code, `The network refuses (${status}): ${message}.`, { cause: error });
  }
}
