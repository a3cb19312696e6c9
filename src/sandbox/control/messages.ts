import { messages as api } from '../../contract/sandbox/messages.js';
import type { NetworkParts } from '../clients/network-parts.js';
import { issueToken, tokenOf } from '../people/tokens.js';
import type { Phone } from '../phone/phone.js';
import { postInChannel } from '../phone/posts.js';
import { statusesOf } from '../phone/statuses.js';
import { type Route, route } from './route.js';

/** Messages: writing, reading, deleting and listing them. */
export const messageRoutes: readonly Route[] = [
  route(api.write, async ({ params, payload }, parts) => {
    const phone = await settledPhone(parts, params.number);
    return { messageId: await phone.write(payload) };
  }),
  route(api.read, async ({ params, payload: { messageIds, played } }, parts) => {
    const phone = await settledPhone(parts, params.number);
    phone.read(messageIds, played ? 'played' : 'read');
    return { read: messageIds.length };
  }),
  route(api.repeat, async ({ params }, parts) => {
    const phone = await settledPhone(parts, params.number);
    await phone.repeat(params.messageId);
    return undefined;
  }),
  route(api.forgetMessage, async ({ params }, parts) => {
    (await settledPhone(parts, params.number)).forget(params.messageId);
    return undefined;
  }),
  route(api.forgetFile, async ({ params }, parts) => {
    (await settledPhone(parts, params.number)).forget(params.messageId, 'file');
    return undefined;
  }),
  route(api.messages, async ({ params }, parts) => ({
    messages: (await settledPhone(parts, params.number)).messages.views(),
  })),
  route(api.changes, async ({ params }, parts) => ({
    changes: (await settledPhone(parts, params.number)).changes.views(),
  })),
  route(api.chatstates, async ({ params }, parts) => ({
    chatstates: (await settledPhone(parts, params.number)).chatstates,
  })),
];

/** The phone of a number, once it has processed what reached it before the request. */
async function settledPhone({ phones }: NetworkParts, number: string): Promise<Phone> {
  const phone = phones.require(number);
  await phone.settled();
  return phone;
}

/** The settings of chats, shared by a phone and its linked devices. */
export const chatRoutes: readonly Route[] = [
  route(api.chats, ({ params }, { phones }) => phones.require(params.number).settings.chats()),
  route(api.updateChat, ({ params, payload }, { phones }) =>
    phones.require(params.number).settings.change(params.partner, payload),
  ),
];

/** Statuses of people, and the posts of channels. */
export const postRoutes: readonly Route[] = [
  route(api.postStatus, async ({ params, payload }, parts) => {
    const phone = await settledPhone(parts, params.number);
    return { messageId: await phone.postStatus(payload) };
  }),
  route(api.statuses, async ({ params }, parts) => ({
    statuses: statusesOf(parts.network, await settledPhone(parts, params.number)),
  })),
  route(api.deleteStatus, async ({ params }, parts) => {
    await (await settledPhone(parts, params.number)).deleteStatus(params.messageId);
    return undefined;
  }),
  route(api.postInChannel, ({ params, payload }, { network }) => ({
    messageId: postInChannel(network, network.directory.require(params.number), payload),
  })),
];

/** Trusted-contact tokens, which one person gives another, and the salt of the tokens for first contacts. */
export const tokenRoutes: readonly Route[] = [
  route(api.giveToken, ({ params, payload: { to, t } }, { network }) => {
    const issuer = network.directory.require(params.number);
    issueToken(network, issuer, network.directory.require(to), t);
  }),
  route(api.tokens, ({ params }, { network: { directory } }) => {
    const issuer = directory.require(params.number);
    const issued = [...directory.accounts].flatMap((holder) => {
      const token = tokenOf(issuer, holder);
      return token ? [{ to: holder.number, t: token.t }] : [];
    });
    return { tokens: issued };
  }),
  route(api.renewSalt, async ({ params }, { phones }) => {
    await phones.require(params.number).settings.renewSalt();
    return undefined;
  }),
];
