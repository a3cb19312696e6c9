import { isObject } from '../../../domain/json.js';
import { createChannel, follow, mute, unfollow } from '../../channels/membership.js';
import { channelMetadata, followersOf } from '../../channels/metadata.js';
import type { Companion } from '../../state/account.js';
import type { Channel } from '../../state/channel.js';
import type { Network } from '../../state/network.js';
import { ChannelRefusal, IqError, NOT_PLAYED } from '../../wire/refusals.js';

/** Who asks, and the variables of the query. */
interface Asked {
  network: Network;
  companion: Companion;
  variables: Record<string, unknown>;
}

/** A stored query: the name of its answer's field, and the answer. */
type ChannelQuery = [field: string, answer: (asked: Asked) => unknown];

const metadata: ChannelQuery = [
  'xwa2_newsletter',
  ({ network, companion, variables }) => {
    const { key, type } = objectIn(variables, 'input');
    if (typeof key !== 'string') throw new IqError(400, 'bad-request');
    const { channels } = network.directory;
    const channel = type === 'INVITE' ? channels.requireByInvite(key) : channels.require(key);
    return channelMetadata(channel, companion.account, variables.fetch_viewer_metadata !== false);
  },
];
const subscribed: ChannelQuery = [
  'xwa2_newsletter_subscribed',
  ({ network, companion: { account } }) =>
    network.directory.channels.of(account).map((channel) => channelMetadata(channel, account)),
];
const join: ChannelQuery = [
  'xwa2_newsletter_join_v2',
  (asked) => {
    const channel = named(asked);
    follow(asked.network, channel, actorOf(asked));
    return stateOf(channel);
  },
];
const leave: ChannelQuery = [
  'xwa2_newsletter_leave_v2',
  (asked) => {
    const channel = named(asked);
    unfollow(asked.network, channel, actorOf(asked));
    return stateOf(channel);
  },
];
const create: ChannelQuery = [
  'xwa2_newsletter_create',
  (asked) => {
    // `newsletter_input` with whatsmeow
    const variable = isObject(asked.variables.newsletter_input) ? 'newsletter_input' : 'input';
    const { name, description, picture } = objectIn(asked.variables, variable);
    if (picture) throw NOT_PLAYED;
    if (typeof name !== 'string' || name === '') throw new IqError(400, 'bad-request');
    const about = { name, ...(typeof description === 'string' && { description }) };
    return channelMetadata(createChannel(asked.network, actorOf(asked), about), asked.companion.account);
  },
];
const followers: ChannelQuery = [
  'xwa2_newsletter_followers',
  ({ network, companion, variables }) => {
    const { newsletter_id, count } = objectIn(variables, 'input');
    const channel = network.directory.channels.require(String(newsletter_id));
    if (!channel.isAdmin(companion.account)) throw new ChannelRefusal(403);
    return followersOf(channel, network.directory, Number(count ?? MAX_FOLLOWERS));
  },
];
/** `input: {newsletter_id, type, value}` (zapo, whatsapp-rust). */
const setting: ChannelQuery = [
  'xwa2_newsletter_update_user_setting',
  (asked) => {
    const { newsletter_id, type, value } = objectIn(asked.variables, 'input');
    if (type !== 'MUTE_FOLLOWER_ACTIVITY') throw NOT_PLAYED;
    if (value !== 'ON' && value !== 'OFF') throw new IqError(400, 'bad-request');
    const channel = asked.network.directory.channels.require(String(newsletter_id));
    mute(asked.network, channel, actorOf(asked), value === 'ON');
    return stateOf(channel);
  },
];
const MAX_FOLLOWERS = 100;

/** Queries about channels by the ids of whatsmeow (`newsletter.go`), Baileys rc14 (`QueryIds`) and WhatsApp Web (zapo `spec/mex`, whatsapp-rust). */
export const CHANNEL_QUERIES: ReadonlyMap<string, ChannelQuery> = new Map<string, ChannelQuery>([
  ['6563316087068696', metadata], // whatsmeow, Baileys
  ['27456920720571478', metadata], // WhatsApp Web
  ['6388546374527196', subscribed], // whatsmeow
  ['25399611239711790', subscribed], // WhatsApp Web
  ['9926858900719341', join], // whatsmeow
  ['24404358912487870', join], // Baileys, WhatsApp Web
  ['6392786840836363', leave], // whatsmeow
  ['9767147403369991', leave], // Baileys, WhatsApp Web
  ['6234210096708695', create], // whatsmeow
  ['8823471724422422', create], // Baileys
  ['25149874324715067', create], // WhatsApp Web
  ['27472091235714801', followers], // WhatsApp Web
  ['31938993655691868', setting], // WhatsApp Web
  ['6274038279359549', muting(true)], // whatsmeow
  ['29766401636284406', muting(true)], // Baileys
  ['6068417879924485', muting(false)], // whatsmeow
  ['9864994326891137', muting(false)], // Baileys
]);

function muting(muted: boolean): ChannelQuery {
  return [
    muted ? 'xwa2_newsletter_mute_v2' : 'xwa2_newsletter_unmute_v2',
    (asked) => {
      const channel = named(asked);
      mute(asked.network, channel, actorOf(asked), muted);
      return stateOf(channel);
    },
  ];
}

/** Answers with the field, or with the errors of GraphQL (whatsmeow `types/newsletter.go`). @throws IqError */
export function answerChannelQuery([field, answer]: ChannelQuery, asked: Asked): object {
  try {
    return { data: { [field]: answer(asked) } };
  } catch (error) {
    if (!(error instanceof ChannelRefusal)) throw error;
    const extensions = { error_code: error.wireCode, is_retryable: false, severity: 'CRITICAL' };
    return { data: { [field]: null }, errors: [{ message: error.message, path: [field], extensions }] };
  }
}

function stateOf(channel: Channel): object {
  return { id: channel.jid, state: { type: 'ACTIVE' } };
}

function actorOf({ companion }: Asked) {
  return { account: companion.account, companion };
}

/** @throws ChannelRefusal 404 */
function named({ network, variables }: Asked): Channel {
  return network.directory.channels.require(String(variables.newsletter_id));
}

/** @throws IqError 400 */
function objectIn(variables: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = variables[name];
  if (!isObject(value)) throw new IqError(400, 'bad-request');
  return { ...value };
}
