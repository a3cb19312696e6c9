import type { proto } from '@whiskeysockets/baileys';
import type { MessageView, StatusRequest, WriteRequest } from '../../contract/sandbox/index.js';
import { audienceOf } from '../people/status-audience.js';
import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { isStatus, STATUS_FEED, STATUS_LIFE_S } from '../state/status-feed.js';
import { Refusal } from '../wire/refusals.js';
import { STATUS_JID } from '../wire/stanza.js';
import type { Composed } from './content/content.js';
import { interpret } from './interpret.js';
import type { PhoneMemory } from './memory.js';
import { compose, seal, sendToAll, stanzaParts } from './write.js';

/** Statuses have one sender key for all viewers. */
const EPOCH = 0;
const OPAQUE = 0xff000000;

/**
 * The person posts a status: one ciphertext for the people who may see it and for the own linked devices.
 * @returns the message's id
 * @throws Refusal 400 without content, 404 when nobody has a number, or the phones do not hold the file
 */
export async function postStatus(
  network: Network,
  phone: PhoneMemory,
  { to, ...request }: StatusRequest,
): Promise<string> {
  if (!request.media && !request.text) throw new Refusal('invalid_request', 'the status has no content');
  const viewers = to?.map((number) => network.directory.require(number));
  const composed = request.media
    ? await composeContent(network, phone, { media: request.media })
    : { message: composeText(request), shape: { type: 'text' } };
  return send(network, phone, composed, viewers);
}

/**
 * The person deletes an own status, for everybody who may see the statuses now.
 * @returns the id of the message that deletes it
 * @throws Refusal 404 when the phone has posted no status of this id
 */
export async function deleteStatus(network: Network, phone: PhoneMemory, messageId: string): Promise<string> {
  const status = phone.messages.get(messageId);
  if (!status?.fromMe || !isStatus(status))
    throw new Refusal('message_unknown', `the phone has posted no status ${messageId}`);
  return send(network, phone, await composeContent(network, phone, { revoke: { messageId } }));
}

/** The statuses that a phone shows, oldest first: for a day. */
export function statusesOf(network: Network, { messages }: PhoneMemory): MessageView[] {
  const since = network.now() - STATUS_LIFE_S;
  return [...messages.all()]
    .filter((message) => isStatus(message) && message.timestamp > since)
    .map((message) => messages.view(message));
}

/** A text is always an `extendedTextMessage` (zapo `WaStatusCoordinator.ts`). */
function composeText({ text, backgroundColor, font }: Omit<StatusRequest, 'to'>): proto.IMessage {
  const look = {
    ...(backgroundColor && {
      backgroundArgb: (OPAQUE | Number.parseInt(backgroundColor.slice(1), 16)) >>> 0,
    }),
    ...(font !== undefined && { font }),
  };
  return { extendedTextMessage: { text, ...look } };
}

function composeContent(
  network: Network,
  { account: author, messages }: PhoneMemory,
  content: Pick<WriteRequest, 'media' | 'revoke'>,
): Promise<Composed> {
  const writing = { network, author, messages, partner: STATUS_FEED, contextInfo: undefined };
  return compose({ to: STATUS_JID, ...content }, writing);
}

async function send(
  network: Network,
  phone: PhoneMemory,
  { message: content, shape }: Composed,
  viewers?: readonly Account[],
): Promise<string> {
  const { account: author } = phone;
  const message = seal(content);
  const messageId = network.newMessageId();
  const timestamp = network.now();
  phone.take(
    interpret(network, message, { messageId, author, owner: author, partner: STATUS_FEED, timestamp, shape }),
  );
  const outgoing = {
    id: messageId,
    author: { account: author },
    chat: STATUS_FEED,
    timestamp,
    ...stanzaParts(shape),
  };
  const people = [author, ...audienceOf(network, author, viewers)];
  await sendToAll(network, phone, outgoing, message, { shape, people, epoch: EPOCH });
  return messageId;
}
