import { BOB } from '../../../support/world.js';

/** Arguments for calls of all routes: a session on one of the nodes, and its data. */
export interface Facts {
  clientId: string;
  chatRoomId: string;
  /** A message of another person. */
  inboundId: string;
  /** A stored file: its message's id, and its own. */
  file: { messageId: string; id: string };
  /** Own messages, to be deleted by way of each node. */
  ownIds: readonly string[];
  groupJid: string;
  /** Groups to be left by way of each node. */
  groupsToLeave: readonly string[];
  /** Failed deliveries, to be sent again by way of each node. */
  failedIds: readonly string[];
  /** Another session that is connected. */
  other: string;
  /** Numbers that no session has. */
  freeNumbers: readonly string[];
  receiverUrl: string;
}

/** A request, as it is made by way of the n-th node. */
export interface Call {
  query?: Record<string, string>;
  params?: Record<string, string>;
  body?: object | FormData;
  headers?: Record<string, string>;
}

export interface RouteCall {
  /**
   * `same`: it is answered by every node in the same way, `alike`: each call does something, and is answered in the same
   * form; `own`: each node speaks of itself; `stream`: the answer has no end.
   */
  answers: 'same' | 'alike' | 'own' | 'stream';
  status?: number;
  call(facts: Facts, n: number): Call;
}

type Body = (facts: Facts, n: number) => object;

const same = (call: RouteCall['call'] = () => ({})): RouteCall => ({ answers: 'same', call });
const own = (call: RouteCall['call'] = () => ({})): RouteCall => ({ answers: 'own', call });
const alike = (call: RouteCall['call']): RouteCall => ({ answers: 'alike', call });
/** A body that names the session. */
const posted = (body: Body): RouteCall['call'] => {
  return (facts, n) => ({ body: { clientId: facts.clientId, ...body(facts, n) } });
};
/** A body that also names Bob. */
const toBob = (body: Body): RouteCall => alike(posted((facts, n) => ({ to: BOB.number, ...body(facts, n) })));
const item = <T>(list: readonly T[], n: number): T => {
  const found = list[n];
  if (found === undefined) throw new Error(`there is nothing for node ${n}`);
  return found;
};
/** A channel that the network does not know. */
const CHANNEL = '120363000000000009@newsletter';
const fresh = (n: number) => `fresh${n}`;
const adopted = (n: number) => `adopted${n}`;
const BAD_REQUEST = 400;
const CONFLICT = 409;
const NOT_FOUND = 404;
const refused = (status: number, call: RouteCall['call']): RouteCall => ({ ...same(call), status });
/** A call under a one-time address that the session does not have. */
const underToken = (body?: object): RouteCall['call'] => {
  return ({ clientId }) => ({ params: { token: `${clientId}.unknown` }, ...(body && { body }) });
};
const ASSERTION = {
  id: 'Y3JlZGVudGlhbA',
  rawId: 'Y3JlZGVudGlhbA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
};
const room = ({ chatRoomId }: Facts) => ({ chatRoomId });

/** One call for each route, in an order in which they can be made. */
export const ROUTE_CALLS: Readonly<Record<string, RouteCall>> = {
  'POST /start': alike((_, n) => ({ query: { clientId: fresh(n) }, body: {} })),
  'POST /pair-phone': alike(({ freeNumbers }, n) => ({
    body: { clientId: fresh(n), phone: item(freeNumbers, n).slice(1) },
  })),
  'GET /qr': same(({ clientId }) => ({ query: { clientId, format: 'text' } })),
  'GET /passkey': same(({ clientId }) => ({ query: { clientId } })),
  'POST /passkey': refused(
    CONFLICT,
    posted(() => ({ assertion: ASSERTION })),
  ),
  'POST /passkey/confirm': refused(
    CONFLICT,
    posted(() => ({})),
  ),
  'POST /pair-link': alike((_, n) => ({ body: { clientId: fresh(n) } })),
  'GET /pair/{token}': refused(NOT_FOUND, underToken()),
  'GET /pair/{token}/state': refused(NOT_FOUND, underToken()),
  'POST /pair/{token}/start': refused(NOT_FOUND, underToken({})),
  'POST /pair/{token}/code': refused(NOT_FOUND, underToken({ phone: '15550000009' })),
  'POST /pair/{token}/passkey': refused(NOT_FOUND, underToken({ assertion: ASSERTION })),
  'POST /pair/{token}/passkey/confirm': refused(NOT_FOUND, underToken({})),
  'GET /pair-page/{file}': own(() => ({ params: { file: 'page.js' } })),
  'POST /check-state': same(posted(() => ({}))),
  'GET /clients': same(({ clientId }) => ({ query: { clientId } })),
  'POST /set-webhook': same(posted(({ receiverUrl }) => ({ webhookUrl: receiverUrl }))),
  'POST /set-org-id': same(posted(() => ({ orgId: 'workspace1' }))),
  'POST /set-api-secret': same(posted(() => ({ secret: 'secret-of-sixteen-letters' }))),
  'POST /set-proxy': same(posted(() => ({ proxy: null }))),
  'POST /set-enable-group-ai': same(posted(() => ({ enabled: true }))),
  'POST /set-retention': same(posted(() => ({ days: 90 }))),
  'POST /pause-webhook': same(posted(() => ({ paused: false }))),
  'POST /set-reject-calls': same(posted(() => ({ enabled: false }))),
  'POST /adopt': alike((_, n) => ({ body: { clientId: adopted(n), begin: true, keys: [] } })),
  'POST /give-back': alike((_, n) => ({ body: { clientId: adopted(n), jid: '' } })),
  // a session that is not paired
  'POST /export': refused(NOT_FOUND, () => ({ body: { clientId: fresh(0) } })),
  'GET /unfinished': same(({ clientId }) => ({ query: { clientId } })),
  'POST /export-keys': refused(NOT_FOUND, () => ({ body: { clientId: fresh(0) } })),
  'POST /reconnect': alike(({ other }) => ({ body: { clientId: other } })),
  'POST /disconnect': alike((_, n) => ({ body: { clientId: fresh(n) } })),
  'POST /send-message': toBob((_, n) => ({ body: `text ${n}` })),
  'POST /send-poll-message': toBob(() => ({ pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup'] })),
  'POST /send-interactive-message': toBob(() => ({
    bodyText: 'Coming?',
    buttons: [{ type: 'quick_reply', displayText: 'Yes', id: 'yes' }],
  })),
  'POST /send-list-message': toBob(() => ({
    bodyText: 'Lunch?',
    buttonText: 'The menu',
    sections: [{ rows: [{ id: 'soup', title: 'Soup' }] }],
  })),
  'POST /forward-message': toBob(({ inboundId }) => ({ from: BOB.number, messageId: inboundId })),
  'POST /star-message': toBob(({ inboundId }) => ({ messageId: inboundId })),
  'POST /pin-message': toBob(({ inboundId }) => ({ messageId: inboundId })),
  'POST /send-reaction': toBob(({ inboundId }) => ({ messageId: inboundId, emoji: '👍' })),
  'POST /edit-message': toBob(({ ownIds }, n) => ({ messageId: item(ownIds, n), body: `edited ${n}` })),
  'POST /send-location': toBob(() => ({ latitude: 52.5, longitude: 13.4 })),
  'POST /send-contact': toBob(() => ({ displayName: 'Ada', phone: '15550000003' })),
  'POST /send-media-message': alike(({ clientId }, n) => {
    const form = new FormData();
    form.set('clientId', clientId);
    form.set('to', BOB.number);
    form.set('file', new Blob([`a file by way of node ${n}`], { type: 'text/plain' }), 'note.txt');
    // a form is read last, by the node that holds the session
    return { query: { clientId }, body: form };
  }),
  'POST /send-typing': toBob(() => ({ composing: true })),
  // no session has opted in
  'POST /subscribe-presence': refused(
    BAD_REQUEST,
    posted(() => ({ to: BOB.number })),
  ),
  'POST /delete-message': toBob(({ ownIds }, n) => ({
    messageId: item(ownIds, n),
    fromMe: true,
    mode: 'everyone',
  })),
  'POST /mark-read': same(posted(({ inboundId }) => ({ to: BOB.number, messageIds: [inboundId] }))),
  'POST /mark-unread': same(posted(() => ({ to: BOB.number }))),
  // an unknown room: two requests in a row would be too many
  'POST /request-history': refused(
    NOT_FOUND,
    posted(({ clientId }) => ({ chatRoomId: `${clientId}-1-9` })),
  ),
  'POST /archive-chat': same(posted((_, n) => ({ to: BOB.number, archived: n % 2 === 0 }))),
  'POST /mute-chat': same(posted((_, n) => ({ to: BOB.number, muted: n % 2 === 0 }))),
  'POST /pin-chat': same(posted((_, n) => ({ to: BOB.number, pinned: n % 2 === 0 }))),
  'POST /disappearing-messages': same(posted(() => ({ to: BOB.number, seconds: 0 }))),
  'GET /blocked': same(({ clientId }) => ({ query: { clientId } })),
  'POST /block': same(posted(({ freeNumbers }) => ({ jid: item(freeNumbers, 0) }))),
  'POST /unblock': same(posted(({ freeNumbers }) => ({ jid: item(freeNumbers, 0) }))),
  'GET /policy': same(({ clientId }) => ({ query: { clientId } })),
  'GET /policy/sends': same(({ clientId }) => ({ query: { clientId } })),
  'GET /outbox': same(({ clientId }) => ({ query: { clientId } })),
  'POST /outbox/cancel': { ...same(posted(() => ({ messageId: 'NOT-HELD' }))), status: 404 },
  'GET /restrictions': same(({ clientId }) => ({ query: { clientId } })),
  'GET /profile': same(({ clientId }) => ({ query: { clientId } })),
  'POST /set-profile': same(posted(() => ({ about: 'Open' }))),
  'POST /set-profile-picture': same(posted(() => ({ downloadUrl: '' }))),
  // the phone has no address book
  'POST /post-status': refused(
    CONFLICT,
    posted((_, n) => ({ body: `status ${n}` })),
  ),
  'POST /delete-status': refused(
    NOT_FOUND,
    posted(() => ({ messageId: '3EB0STATUS' })),
  ),
  'GET /status-privacy': same(({ clientId }) => ({ query: { clientId } })),
  'POST /set-status-privacy': same(posted(() => ({ mode: 'contacts' }))),
  'GET /channels': same(({ clientId }) => ({ query: { clientId } })),
  'GET /channel': refused(NOT_FOUND, ({ clientId }) => ({ query: { clientId, channel: CHANNEL } })),
  'GET /channel-posts': refused(NOT_FOUND, ({ clientId }) => ({ query: { clientId, channelJid: CHANNEL } })),
  'POST /follow-channel': refused(
    NOT_FOUND,
    posted(() => ({ channelJid: CHANNEL })),
  ),
  'POST /unfollow-channel': refused(
    NOT_FOUND,
    posted(() => ({ channelJid: CHANNEL })),
  ),
  'POST /post-channel': refused(
    NOT_FOUND,
    posted((_, n) => ({ channelJid: CHANNEL, body: `post ${n}` })),
  ),
  'POST /delete-channel-post': refused(
    NOT_FOUND,
    posted(() => ({ channelJid: CHANNEL, messageId: '3EB0POST' })),
  ),
  'POST /user-info': same(posted(() => ({ jid: BOB.number }))),
  'POST /check-owner-lid': same(posted(() => ({ number: BOB.number }))),
  'GET /profile-picture': same(({ clientId }) => ({ query: { clientId, jid: BOB.number } })),
  'POST /refresh-avatars': alike(posted(() => ({}))),
  'POST /get-groups': same(posted(() => ({}))),
  'POST /get-group-participants': same(posted(({ groupJid }) => ({ groupJid }))),
  'POST /create-group': alike(posted((_, n) => ({ subject: `group ${n}`, participants: [BOB.number] }))),
  'POST /update-group-members': alike(
    posted(({ groupJid }, n) => ({
      groupJid,
      action: n % 2 === 0 ? 'promote' : 'demote',
      participants: [BOB.number],
    })),
  ),
  'POST /group-invite-link': same(posted(({ groupJid }) => ({ groupJid }))),
  'POST /update-group': same(posted(({ groupJid }) => ({ groupJid, description: 'Us' }))),
  'POST /set-group-picture': same(posted(({ groupJid }) => ({ groupJid, downloadUrl: '' }))),
  'POST /group-requests': same(posted(({ groupJid }) => ({ groupJid }))),
  'POST /update-group-requests': same(
    posted(({ groupJid }) => ({ groupJid, action: 'approve', participants: [BOB.number] })),
  ),
  // the invite names no group
  'POST /join-group': refused(
    NOT_FOUND,
    posted(() => ({ invite: 'AbCdEfGhIjKlMnOpQrStUv' })),
  ),
  'POST /group-invite-info': refused(
    NOT_FOUND,
    posted(() => ({ invite: 'AbCdEfGhIjKlMnOpQrStUv' })),
  ),
  'GET /chatrooms': same(({ clientId }) => ({ query: { clientId } })),
  'GET /chatrooms/{chatRoomId}/messages': same((facts) => ({ params: room(facts) })),
  'GET /chatrooms/{chatRoomId}/messages/{messageId}/media-url': same((facts) => ({
    params: { ...room(facts), messageId: facts.file.messageId },
  })),
  'POST /chatrooms/{chatRoomId}/read': same((facts) => ({ params: room(facts) })),
  'GET /media-files': same(({ clientId }) => ({ query: { clientId, orgId: 'workspace1' } })),
  'GET /media-files/{messageId}/url': same(({ file }) => ({ params: { messageId: file.id } })),
  'GET /media/{id}/{fileName}': {
    ...same(({ file }) => ({
      params: { id: file.id, fileName: 'note.txt' },
      headers: { range: 'bytes=2-5' },
    })),
    status: 206,
  },
  'GET /receivers': same(({ clientId }) => ({ query: { clientId } })),
  'POST /receivers': alike(posted(({ receiverUrl }) => ({ url: receiverUrl }))),
  'POST /receivers/update': alike(posted((_facts, n) => ({ id: String(n + 2), name: 'audit' }))),
  'POST /receivers/remove': alike(posted((_facts, n) => ({ id: String(n + 2) }))),
  'GET /kept-events': same(({ clientId }) => ({ query: { clientId } })),
  'POST /replay': same(posted(() => ({ from: '2026-11-22T10:00:00.000Z' }))),
  'POST /send-test-event': alike(posted(() => ({ type: 'text' }))),
  'POST /listen-webhook': alike(
    posted(({ receiverUrl }) => ({
      webhookUrl: receiverUrl,
      webhookToken: 'token-of-the-listener',
      takeOver: true,
    })),
  ),
  'POST /unlisten-webhook': alike(posted(() => ({}))),
  // the steps that another node remembers are not there
  'GET /message-trace': alike(({ clientId, inboundId }) => ({ query: { clientId, messageId: inboundId } })),
  'GET /failed-deliveries': same(({ clientId }) => ({ query: { clientId } })),
  'GET /failed-deliveries/{id}': same(({ failedIds }) => ({ params: { id: item(failedIds, 0) } })),
  'POST /failed-deliveries/{id}/resend': alike(({ failedIds }, n) => ({
    params: { id: item(failedIds, n) },
    body: {},
  })),
  'POST /nodes/drain': alike(() => ({ body: { node: 'node-1', draining: false } })),
  'GET /backup': own(),
  'GET /nodes': alike(() => ({ query: { leases: 'true' } })),
  'GET /fleet': alike(({ clientId }) => ({ query: { clientId } })),
  'GET /events': { ...own(), answers: 'stream' },
  'GET /health/live': own(),
  'GET /health/ready': own(),
  'GET /health/clients': own(),
  'GET /config': own(),
  'GET /metrics': own(),
  'GET /openapi.json': own(),
  'GET /docs': own(),
  'GET /docs/{file}': own(() => ({ params: { file: 'swagger-ui.css' } })),
  'POST /leave-group': alike(posted(({ groupsToLeave }, n) => ({ groupJid: item(groupsToLeave, n) }))),
};
