import { BOB } from '../../support/pairing.js';

/** What the calls of the routes are about: a session that one of the nodes holds, and what it has. */
export interface Facts {
  clientId: string;
  chatRoomId: string;
  /** Somebody else's message. */
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
const fresh = (n: number) => `fresh${n}`;
const room = ({ chatRoomId }: Facts) => ({ chatRoomId });

/** One call for each route, in an order in which they can be made. */
export const ROUTE_CALLS: Readonly<Record<string, RouteCall>> = {
  'POST /start': alike((_, n) => ({ query: { clientId: fresh(n) }, body: {} })),
  'POST /pair-phone': alike(({ freeNumbers }, n) => ({
    body: { clientId: fresh(n), phone: item(freeNumbers, n).slice(1) },
  })),
  'GET /qr': same(({ clientId }) => ({ query: { clientId, format: 'text' } })),
  'POST /check-state': same(posted(() => ({}))),
  'GET /clients': same(({ clientId }) => ({ query: { clientId } })),
  'POST /set-webhook': same(posted(({ receiverUrl }) => ({ webhookUrl: receiverUrl }))),
  'POST /set-org-id': same(posted(() => ({ orgId: 'workspace1' }))),
  'POST /set-api-secret': same(posted(() => ({ secret: 'secret-of-sixteen-letters' }))),
  'POST /set-enable-group-ai': same(posted(() => ({ enabled: true }))),
  'POST /reconnect': alike(({ other }) => ({ body: { clientId: other } })),
  'POST /disconnect': alike((_, n) => ({ body: { clientId: fresh(n) } })),
  'POST /send-message': toBob((_, n) => ({ body: `text ${n}` })),
  'POST /send-poll-message': toBob(() => ({ pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup'] })),
  'POST /send-interactive-message': toBob(() => ({
    bodyText: 'Coming?',
    buttons: [{ type: 'quick_reply', displayText: 'Yes', id: 'yes' }],
  })),
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
  'POST /delete-message': toBob(({ ownIds }, n) => ({
    messageId: item(ownIds, n),
    fromMe: true,
    mode: 'everyone',
  })),
  'POST /mark-read': same(posted(({ inboundId }) => ({ to: BOB.number, messageIds: [inboundId] }))),
  'POST /mark-unread': same(posted(() => ({ to: BOB.number }))),
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
  'POST /send-test-event': alike(posted(() => ({ type: 'text' }))),
  'POST /listen-webhook': alike(
    posted(({ receiverUrl }) => ({
      webhookUrl: receiverUrl,
      webhookToken: 'token-of-the-listener',
      takeOver: true,
    })),
  ),
  'POST /unlisten-webhook': alike(posted(() => ({}))),
  'GET /failed-deliveries': same(({ clientId }) => ({ query: { clientId } })),
  'GET /failed-deliveries/{id}': same(({ failedIds }) => ({ params: { id: item(failedIds, 0) } })),
  'POST /failed-deliveries/{id}/resend': alike(({ failedIds }, n) => ({
    params: { id: item(failedIds, n) },
    body: {},
  })),
  'POST /nodes/drain': alike(() => ({ body: { node: 'node-1', draining: false } })),
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
