import { createHash, createHmac } from 'node:crypto';
import type { Account, Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { bytesOf, child, type Stanza, stanza } from '../wire/stanza.js';

/** A token lives for 4 buckets of 7 days; a new one is issued in each bucket (whatsmeow `tctoken.go`). */
const BUCKET_S = 7 * 24 * 60 * 60;
const BUCKETS = 4;
const ACCOUNT_RESTRICTED = '463';

/** The token that a person gave to another one, with its time in seconds since the epoch; undefined when there is none. */
export function tokenOf(issuer: Account, holder: Account): { token: Buffer; t: number } | undefined {
  const t = issuer.record.issuedTokens?.[holder.key];
  if (t === undefined) return undefined;
  return { token: createHash('sha256').update(`tctoken ${issuer.lid} ${holder.lid} ${t}`).digest(), t };
}

/** A person gives another one a token, which the linked devices of that one are sent. */
export function issueToken(network: Network, issuer: Account, holder: Account, t = network.now()): void {
  issuer.record.issuedTokens = { ...issuer.record.issuedTokens, [holder.key]: t };
  issuer.keep();
  const issued = tokenOf(issuer, holder);
  if (!issued) return;
  const from = issuer.privateJid(network.addressing);
  const sender_lid = issuer.record.hideLid ? undefined : issuer.jid('lid');
  for (const companion of holder.companions.values()) {
    const token = tokenElement(holder.jid('pn'), issued);
    const tokens = stanza('tokens', {}, token ? [token] : []);
    network.notify(companion, { from, type: 'privacy_token', sender_lid }, [tokens]);
  }
}

export function tokenElement(
  jid: string | undefined,
  issued: ReturnType<typeof tokenOf>,
): Stanza | undefined {
  if (!issued) return undefined;
  return stanza('token', { jid, t: String(issued.t), type: 'trusted_contact' }, issued.token);
}

/** A phone issues a token after a message, once in a bucket. */
export function renewToken(network: Network, issuer: Account, holder: Account): void {
  const last = issuer.record.issuedTokens?.[holder.key] ?? 0;
  if (issuer !== holder && bucketOf(last) < bucketOf(network.now())) issueToken(network, issuer, holder);
}

/** The salt of an account, with which its devices sign their first message to a person (whatsapp-rust #433). */
export function saltOf({ key, record: { saltTurn = 0 } }: Account): Buffer {
  return createHash('sha256').update(`nct salt ${key} ${saltTurn}`).digest();
}

/**
 * The error of a private message that needs a token and has no valid one; undefined when it may pass. `reachout-lock`
 * asks for the recipient's own token, `token-required` also takes a `<cstoken>`.
 */
export function refuseWithoutToken(
  network: Network,
  { account }: Companion,
  partner: Account,
  message: Stanza,
): string | undefined {
  // an answer to a retry has no tokens
  const isFirst = child(message, 'participants') !== undefined;
  if (partner === account || message.attrs.category === 'peer' || !isFirst) return undefined;
  const isLocked = network.faults.take('reachout-lock', account) !== undefined;
  const isRequired = !isLocked && network.faults.take('token-required', account) !== undefined;
  if (!isLocked && !isRequired) return undefined;
  if (hasToken(network, account, partner, message)) return undefined;
  return isRequired && hasFirstContactToken(account, partner, message) ? undefined : ACCOUNT_RESTRICTED;
}

function hasToken(network: Network, holder: Account, issuer: Account, message: Stanza): boolean {
  const issued = tokenOf(issuer, holder);
  const shown = child(message, 'tctoken');
  const oldest = (bucketOf(network.now()) - (BUCKETS - 1)) * BUCKET_S;
  return (
    issued !== undefined && shown !== undefined && issued.t >= oldest && issued.token.equals(bytesOf(shown))
  );
}

function hasFirstContactToken(account: Account, partner: Account, message: Stanza): boolean {
  const shown = child(message, 'cstoken');
  const right = createHmac('sha256', saltOf(account)).update(partner.jid('lid')).digest();
  return shown !== undefined && right.equals(bytesOf(shown));
}

function bucketOf(seconds: number): number {
  return Math.floor(seconds / BUCKET_S);
}
