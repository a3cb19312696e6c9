import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { generateWAMessage, generateWAMessageFromContent, proto } from '@whiskeysockets/baileys';
import { type Reason, reason } from '../../../../src/domain/reasons.js';
import type { CloseCause, SessionStatus } from '../../../../src/domain/session.js';
import type { Channel } from '../../../../src/gateway/link/channels.js';
import type { Group } from '../../../../src/gateway/link/directory.js';
import type {
  Link,
  LinkEvent,
  LinkFactory,
  LinkOptions,
  OutgoingMessage,
  OwnIdentity,
  PasskeyState,
  WebAuthnAssertion,
} from '../../../../src/gateway/link/link.js';
import type { SessionRegistry } from '../../../../src/gateway/services/sessions/registry.js';
import { ME, playedLink, playedLinks } from '../../../support/rig/link.js';

/** Is blocked by the account. */
const CAROL = { lid: '90000000000003', pn: '15550000003' };
const BOB = { lid: '90000000000002', pn: '15550000002' };
export const BOB_LID = `${BOB.lid}@lid`;

/** The one group of every played number. */
export const GROUP: Group = {
  jid: '120363040000000001@g.us',
  subject: 'Team',
  topic: '',
  addressingMode: 'lid',
  isAnnounce: false,
  isLocked: false,
  membersAdd: true,
  joinApproval: false,
  disappearingSeconds: 0,
  ownerJid: '90000000000001@lid',
  members: [{ lid: '90000000000001', pn: '', isAdmin: true, isSuperAdmin: true }],
};

/** The one channel of every played number. */
const CHANNEL: Channel = {
  jid: '120363040000000001@newsletter',
  name: 'News',
  description: '',
  role: 'owner',
  followers: 1,
  isVerified: false,
  isMuted: false,
  inviteCode: 'Code',
  createdAt: 0,
};

const CREDENTIALS = Buffer.from('credentials');

const LOGGED_OUT = reason('logged_out', { kind: 'removed' });

/** Causes after which a session has a status. */
const ENDS: Partial<Record<SessionStatus, CloseCause>> = {
  reconnecting: reason('connection_lost'),
  logged_out: LOGGED_OUT,
  replaced: reason('replaced', { kind: 'taken' }),
  banned: reason('banned'),
};

/**
 * A network on which every person and every number exists, and every request succeeds. It notes what links ask of it, and
 * reports what a test wants.
 */
export class PlayedNetwork {
  /** The questions and changes that links asked for: the call and its arguments. */
  readonly asked: unknown[][] = [];
  /** The messages that were sent, and their contents. */
  readonly sent: (OutgoingMessage & { made: proto.IMessage })[] = [];
  /** The answers to the challenges of passkey ceremonies. */
  readonly assertions: WebAuthnAssertion[] = [];
  readonly links: LinkFactory;
  /** How links end when their sessions are logged out: the network confirms it, or does not. */
  confirmsLogout = true;
  /** What sends fail with, if they do. */
  failure: Error | undefined;
  readonly #opened = new Map<string, LinkOptions>();
  /** Numbers that are linked: their links open by themselves. */
  readonly #linked = new Map<string, OwnIdentity>();

  constructor() {
    this.links = playedLinks(playedLink(), () => undefined, {
      open: (options) => this.#open(options),
      readForeignCredentials: () => ({ me: ME, credentials: CREDENTIALS }),
      decode: (encoded) => proto.Message.decode(encoded),
      encode: (content) => proto.Message.encode(proto.Message.fromObject(content)).finish(),
    });
  }

  /** As if nothing had been asked for. */
  forget(): void {
    for (const list of [this.asked, this.sent, this.assertions]) list.length = 0;
    this.failure = undefined;
  }

  #open(options: LinkOptions): Link {
    this.#opened.set(options.clientId, options);
    const me = this.#linked.get(options.clientId);
    if (me) options.emit({ type: 'open', me });
    const renew = () => options.emit({ type: 'closed', reason: reason('renewed', { kind: 'operator' }) });
    const logout = async () => {
      this.#linked.delete(options.clientId);
      return this.confirmsLogout;
    };
    return { ...this.#link(), renew, logout };
  }

  /** An event of the last link of a session, once it is handled. */
  async tell(sessions: SessionRegistry, clientId: string, event: LinkEvent): Promise<void> {
    this.#opened.get(clientId)?.emit(event);
    // events are handled in a microtask, and their effects in later ones
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    await sessions.find(clientId).link?.isUp();
  }

  /** Brings a session to a status, as the network would. */
  async become(
    sessions: SessionRegistry,
    clientId: string,
    status: SessionStatus,
    { qr = '2@abc,def', why }: { qr?: string; why?: Reason } = {},
  ): Promise<void> {
    const tell = (event: LinkEvent) => this.tell(sessions, clientId, event);
    const present = () => sessions.find(clientId).record;
    if (status !== 'connected' && status !== 'reconnecting') this.#linked.delete(clientId);
    if (status === 'initializing') return tell({ type: 'closed', reason: closeCause(why) });
    if (status === 'qr') {
      if (present().jid) await tell({ type: 'closed', reason: LOGGED_OUT });
      await sessions.start(clientId, {});
      return tell({ type: 'qr', qr });
    }
    await sessions.start(clientId, {});
    await this.#opened.get(clientId)?.keys.commit({ credentials: CREDENTIALS });
    if (present().status !== 'connected') {
      const me = meOf(clientId);
      await tell({ type: 'open', me });
      this.#linked.set(clientId, me);
    }
    const cause = ENDS[status];
    if (cause) await tell({ type: 'closed', reason: cause });
  }

  passkey(sessions: SessionRegistry, clientId: string, state: PasskeyState): Promise<void> {
    return this.tell(sessions, clientId, { type: 'passkey', state });
  }

  #link(): Link {
    const note = (...call: unknown[]) => void this.asked.push(call);
    const prepared = new WeakMap<object, OutgoingMessage & { made: proto.IMessage }>();
    return playedLink({
      groups: {
        list: async () => [GROUP],
        get: async (jid) => ({ ...GROUP, jid }),
        create: async (subject, participants) => {
          note('groups.create', subject, participants);
          return { group: { ...GROUP, subject }, refused: [] };
        },
        changeMembers: async (jid, action, participants) => {
          note('groups.changeMembers', jid, action, participants);
          return participants.map((one) => ({ jid: one, error: 403 }));
        },
        inviteCode: async (jid, reset) => {
          note('groups.inviteCode', jid, reset);
          return 'Code';
        },
        leave: async (jid) => note('groups.leave', jid),
        change: async (jid, settings) => note('groups.change', jid, settings),
        setPicture: async (jid, jpeg) => note('groups.setPicture', jid, jpeg),
        joinRequests: async () => [],
        answerJoinRequests: async (jid, action, participants) => {
          note('groups.answerJoinRequests', jid, action, participants);
          return participants.map((one) => ({ jid: one, error: 0 }));
        },
        join: async (code) => {
          note('groups.join', code);
          return { jid: GROUP.jid, isMember: true };
        },
        invite: async () => {
          const { jid, subject, topic, ownerJid, joinApproval, members } = GROUP;
          return { jid, subject, topic, ownerJid, joinApproval, size: members.length, createdAt: 0 };
        },
      },
      channels: {
        list: async () => [CHANNEL],
        get: async (key) => ({ ...CHANNEL, ...('jid' in key && { jid: key.jid }) }),
        posts: async () => ({ posts: [], next: undefined }),
        follow: async (jid) => note('channels.follow', jid),
        unfollow: async (jid) => note('channels.unfollow', jid),
        deletePost: async (jid, messageId) => note('channels.deletePost', jid, messageId),
      },
      account: {
        profile: async () => ({ name: 'Alice', about: '', pictureId: '', disappearingSeconds: 0 }),
        setName: async (name) => note('account.setName', name),
        setAbout: async (about) => note('account.setAbout', about),
        setPicture: async (jpeg) => note('account.setPicture', jpeg),
        setDisappearing: async (seconds) => note('account.setDisappearing', seconds),
        statusPrivacy: async () => ({ mode: 'only', people: [BOB] }),
        setStatusPrivacy: async (privacy) => note('account.setStatusPrivacy', privacy),
        blocked: async () => [CAROL],
        setBlocked: async (person, isBlocked) => note('account.setBlocked', person, isBlocked),
      },
      people: {
        profile: async () => ({
          ...{ ...BOB, username: 'bob', status: 'Hi', pictureId: '1', devices: 2, verifiedName: '' },
        }),
        picture: async (address, preview) => {
          note('people.picture', address, preview);
          return { id: '1', type: preview ? 'preview' : 'image', url: 'https://pps.example/1' };
        },
        fetchPicture: async () => ({ bytes: Buffer.from('a picture'), mimeType: 'image/jpeg' }),
      },
      requestPairingCode: async (phone) => {
        note('requestPairingCode', phone);
        return 'ABCDEFGH';
      },
      answerPasskey: async (assertion) => void this.assertions.push(assertion),
      confirmPasskey: async () => note('confirmPasskey'),
      lookUp: async ({ kind, user }) => ({
        lid: kind === 'lid' ? user : `9${user.slice(-7).padStart(13, '0')}`,
        pn: kind === 'pn' ? user : '',
      }),
      prepare: async (message) => {
        if (this.failure) throw this.failure;
        const made = await contentOf(message);
        const one = { content: made, encoded: proto.Message.encode(proto.Message.fromObject(made)).finish() };
        prepared.set(one, { ...message, made });
        return one;
      },
      relay: async (one) => {
        const message = prepared.get(one);
        if (message) this.sent.push(message);
        return { outcome: 'acknowledged' };
      },
      sendTyping: async (...call) => note('sendTyping', ...call),
      showOnline: async (...call) => note('showOnline', ...call),
      subscribePresence: async (...call) => note('subscribePresence', ...call),
      markRead: async (...call) => note('markRead', ...call),
      changeChat: async (...call) => note('changeChat', ...call),
      restrictions: async () => [
        { kind: 'reachout-lock', active: false, cause: '' },
        { kind: 'new-chat-limit', active: false, cause: '' },
      ],
      vitals: () => ({ lastStanzaAt: 0, lastPongAt: 0, silentMs: 0 }),
    });
  }
}

/** A number for each session: no two sessions are linked to the same one. */
function meOf(clientId: string): OwnIdentity {
  if (clientId === 'acme') return ME;
  const digits = String(
    parseInt(createHash('sha256').update(clientId).digest('hex').slice(0, 7), 16),
  ).padStart(9, '0');
  return { jid: `15${digits}:1@s.whatsapp.net`, pn: `15${digits}`, lid: `91${digits}`, name: clientId };
}

function closeCause(why: Reason = reason('qr_expired')): CloseCause {
  if (why.code === 'qr_expired') return { ...why, code: why.code };
  throw new Error(`no link of a session that is being paired ends with ${why.code}`);
}

const FILES = ['image', 'video', 'audio', 'document', 'sticker'] as const;

/** The message that phones would see. */
async function contentOf({ to, messageId, content }: OutgoingMessage): Promise<proto.IMessage> {
  if ('encoded' in content && content.encoded instanceof Uint8Array)
    return proto.Message.decode(content.encoded);
  const options = { messageId, userJid: ME.jid };
  if ('raw' in content && content.raw instanceof Object)
    return generateWAMessageFromContent(to, content.raw, options).message ?? {};
  for (const type of FILES) {
    if (type in content) return { [`${type}Message`]: await fileIn(content, type) };
  }
  const short: Parameters<typeof generateWAMessage>[1] = Object(content);
  const upload = () => Promise.reject(new Error('the message has no file'));
  return (await generateWAMessage(to, short, { ...options, upload })).message ?? {};
}

/** A file as its message names it; the bytes are hashed as an upload would. */
async function fileIn(content: object, type: string): Promise<object> {
  const { [type]: { url = '' } = {}, ...facts }: Record<string, { url?: string }> = Object(content);
  const bytes = await readFile(url);
  const fileSha256 = createHash('sha256').update(bytes).digest();
  return { ...facts, fileLength: bytes.length, fileSha256 };
}
