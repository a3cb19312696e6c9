import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { NETWORK_JID, stanza } from '../wire/stanza.js';

/** The cause that the network names for a time lock (Baileys `ReachoutTimelockEnforcementType`). */
const CAUSE = 'DEFAULT';
/** How many chats the sandbox lets an account begin in a cycle; the fault says that all are used. */
const QUOTA = 100;
/**
 * What the network says of the chats that an account has begun, and the share of them that it says it at, by fault: the most serious one
 * first. WhatsApp warns first at half (zapo `spec/abprops`, `new_chat_msg_capping_first_warning_threshold_percentage`); the share of the second
 * warning is the sandbox's own.
 */
const CAPS = [
  { kind: 'new-chat-cap', status: 'CAPPED', share: 1 },
  { kind: 'new-chat-second-warning', status: 'SECOND_WARNING', share: 0.8 },
  { kind: 'new-chat-warning', status: 'FIRST_WARNING', share: 0.5 },
] as const;
/** Seconds of a cycle whose end the fault does not name: it ends with the day, in UTC. */
const CYCLE_S = 24 * 60 * 60;
const OPERATIONS = {
  'reachout-lock': 'NotificationUserReachoutTimelockUpdate',
  'new-chat-cap': 'MessageCappingInfoNotification',
  'new-chat-second-warning': 'MessageCappingInfoNotification',
  'new-chat-warning': 'MessageCappingInfoNotification',
} as const;

const KINDS = ['reachout-lock', ...CAPS.map(({ kind }) => kind)] as const;

type Restricting = (typeof KINDS)[number];

/** The time lock of an account: under one, it cannot begin chats. Times are text, in seconds since the epoch. */
export function timeLock({ faults }: Network, account: Account): object {
  const order = faults.peek('reachout-lock', account);
  return {
    is_active: order !== undefined,
    time_enforcement_ends: order?.endsAt ? String(Math.ceil(order.endsAt / 1_000)) : '0',
    enforcement_type: CAUSE,
  };
}

/** How many chats an account may begin in a cycle, and how many it has begun. */
export function chatLimit(network: Network, account: Account): object {
  const [cap] = CAPS.flatMap(({ kind, status, share }) => {
    const order = network.faults.peek(kind, account);
    return order ? { status, used: QUOTA * share, endsAt: order.endsAt } : [];
  });
  const { status = 'NONE', used = 0, endsAt } = cap ?? {};
  const end = endsAt ? Math.ceil(endsAt / 1_000) : (Math.floor(network.now() / CYCLE_S) + 1) * CYCLE_S;
  return {
    total_quota: String(QUOTA),
    used_quota: String(used),
    cycle_end_timestamp: String(end),
    server_sent_timestamp: String(network.now()),
    capping_status: status,
  };
}

/** The restrictions of all accounts, by their kind and account. */
type Restrictions = ReadonlyMap<string, { kind: Restricting; account: Account }>;

/** Tells linked devices which restrictions began or ended. @param before the result of `restrictionsOf` before the change */
export function announceRestrictions(network: Network, before: Restrictions): void {
  const after = restrictionsOf(network);
  for (const [name, { kind, account }] of [...before, ...after])
    if (before.has(name) !== after.has(name)) announce(network, kind, account);
}

/** Current restrictions of all accounts, by kind and account. */
export function restrictionsOf({ directory, faults }: Network): Restrictions {
  const found = new Map<string, { kind: Restricting; account: Account }>();
  for (const account of directory.accounts)
    for (const kind of KINDS)
      if (faults.peek(kind, account)) found.set(`${kind} ${account.key}`, { kind, account });
  return found;
}

/** The notification, as whatsmeow reads it (`notification.go`, `handleMexNotification`). */
function announce(network: Network, kind: Restricting, account: Account): void {
  const data =
    kind === 'reachout-lock'
      ? { xwa2_notify_account_reachout_timelock: timeLock(network, account) }
      : { xwa2_notify_new_chat_messages_capping_info_update: chatLimit(network, account) };
  const update = stanza('update', { op_name: OPERATIONS[kind] }, Buffer.from(JSON.stringify({ data })));
  for (const companion of account.companions.values())
    network.notify(companion, { from: NETWORK_JID, type: 'mex' }, [update]);
}
