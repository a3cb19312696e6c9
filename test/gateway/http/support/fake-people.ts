import type { AvatarCounts, ProfilePicture } from '../../../../src/contract/index.js';
import type { GatewayError } from '../../../../src/domain/errors.js';

/** Knows Bob, for every known session. */
export class FakePeople {
  /** Recorded calls: method name and arguments. */
  readonly asked: unknown[][] = [];
  failure: GatewayError | undefined;
  readonly #sessions: { get(clientId: string): object };

  constructor(sessions: { get(clientId: string): object }) {
    this.#sessions = sessions;
  }

  async userInfo(clientId: string, jid: string) {
    this.#note(clientId, ['userInfo', jid]);
    const facts = { username: 'bob', status: 'Hi', pictureId: '1', devices: 2, verifiedName: '' };
    return { jid: '90000000000002@lid', ...facts };
  }

  async ownerLid(clientId: string, number: string) {
    this.#note(clientId, ['ownerLid', number]);
    const own = { myLid: '90000000000001', myJid: '15550000001@s.whatsapp.net', number };
    return { ...own, isOnWhatsApp: false, numberJid: '', numberLid: '', username: '' };
  }

  async blocked(clientId: string) {
    this.#note(clientId, ['blocked']);
    return [{ jid: '90000000000002@lid', phone: '+15550000002', displayName: 'Bob' }];
  }

  async setBlocked(clientId: string, jid: string, isBlocked: boolean) {
    this.#note(clientId, ['setBlocked', jid, isBlocked]);
  }

  #note(clientId: string, call: unknown[]): void {
    this.#sessions.get(clientId);
    if (this.failure) throw this.failure;
    this.asked.push(call);
  }
}

/** The profile of every known session; changes are recorded. */
export class FakeProfile {
  /** Recorded calls: method name and arguments. */
  readonly done: unknown[][] = [];
  readonly #sessions: { get(clientId: string): object };

  constructor(sessions: { get(clientId: string): object }) {
    this.#sessions = sessions;
  }

  async get(clientId: string) {
    this.#note(clientId, ['get']);
    const shown = { name: 'Alice', about: '', pictureId: '', disappearingSeconds: 0 };
    return { jid: '90000000000001@lid', phone: '+15550000001', ...shown };
  }

  async set(clientId: string, changes: object) {
    this.#note(clientId, ['set', changes]);
  }

  async setPicture(clientId: string, source: object | undefined) {
    this.#note(clientId, ['setPicture', source]);
  }

  async setGroupPicture(clientId: string, groupJid: string, source: object | undefined) {
    this.#note(clientId, ['setGroupPicture', groupJid, source]);
  }

  #note(clientId: string, call: unknown[]): void {
    this.#sessions.get(clientId);
    this.done.push(call);
  }
}

/** Shows Bob's picture to every known session. */
export class FakeAvatars {
  /** Recorded calls: method name and arguments. */
  readonly asked: unknown[][] = [];
  failure: GatewayError | undefined;
  readonly #sessions: { get(clientId: string): object };

  constructor(sessions: { get(clientId: string): object }) {
    this.#sessions = sessions;
  }

  async picture(
    clientId: string,
    jid: string,
    wishes: { preview: boolean; refresh: boolean },
  ): Promise<ProfilePicture> {
    this.#note(clientId, ['picture', jid, wishes]);
    const type = wishes.preview ? 'preview' : 'full';
    const storedUrl = 'https://files.example/media/1/picture.jpg';
    return {
      jid: '90000000000002@lid',
      id: '1',
      type,
      url: 'https://pps.example/1',
      storedUrl,
      mirrored: true,
    };
  }

  async refreshAll(clientId: string, force: boolean): Promise<AvatarCounts> {
    this.#note(clientId, ['refreshAll', force]);
    return { rooms: 3, updated: 1, skipped: 1, noPhoto: 1, failed: 0 };
  }

  #note(clientId: string, call: unknown[]): void {
    this.#sessions.get(clientId);
    if (this.failure) throw this.failure;
    this.asked.push(call);
  }
}

const GROUP = '120363040000000001@g.us';
const LIST_ITEM = {
  jid: GROUP,
  name: 'Team',
  participants: 1,
  isAnnounce: false,
  isLocked: false,
  ownerJid: '90000000000001@lid',
};
const SETTINGS = {
  isAnnounce: false,
  isLocked: false,
  membersAdd: true,
  joinApproval: false,
  disappearingSeconds: 0,
};
const DETAIL = { jid: GROUP, name: 'Team', topic: '', addressingMode: 'lid', ...SETTINGS, members: [] };

/** One group, of every known session. */
export class FakeGroups {
  /** Recorded calls: method name and arguments. */
  readonly done: unknown[][] = [];
  failure: GatewayError | undefined;
  readonly #sessions: { get(clientId: string): object };

  constructor(sessions: { get(clientId: string): object }) {
    this.#sessions = sessions;
  }

  async list(clientId: string) {
    this.#note(clientId, ['list']);
    return [LIST_ITEM];
  }

  async get(clientId: string, groupJid: string) {
    this.#note(clientId, ['get', groupJid]);
    return DETAIL;
  }

  async create(clientId: string, subject: string, participants: readonly string[]) {
    this.#note(clientId, ['create', subject, participants]);
    return { ...LIST_ITEM, ...DETAIL, name: subject, refused: [] };
  }

  async changeMembers(clientId: string, groupJid: string, action: string, participants: readonly string[]) {
    this.#note(clientId, ['changeMembers', groupJid, action, participants]);
    return participants.map((jid) => ({ jid, error: 403 }));
  }

  async inviteLink(clientId: string, groupJid: string, reset: boolean) {
    this.#note(clientId, ['inviteLink', groupJid, reset]);
    return 'https://chat.whatsapp.com/Code';
  }

  async update(clientId: string, groupJid: string, settings: object) {
    this.#note(clientId, ['update', groupJid, settings]);
  }

  async requests(clientId: string, groupJid: string) {
    this.#note(clientId, ['requests', groupJid]);
    return [{ jid: '90000000000003@lid', phone: '', displayName: 'Carol', requestedAt: '' }];
  }

  async answerRequests(clientId: string, groupJid: string, action: string, participants: readonly string[]) {
    this.#note(clientId, ['answerRequests', groupJid, action, participants]);
    return participants.map((jid) => ({ jid, error: 0 }));
  }

  async join(clientId: string, invite: string) {
    this.#note(clientId, ['join', invite]);
    return { groupJid: GROUP, joined: true };
  }

  async invite(clientId: string, invite: string) {
    this.#note(clientId, ['invite', invite]);
    const shown = { topic: '', ownerJid: '', participants: 1, joinApproval: false, createdAt: '' };
    return { jid: GROUP, name: 'Team', ...shown };
  }

  async leave(clientId: string, groupJid: string) {
    this.#note(clientId, ['leave', groupJid]);
  }

  #note(clientId: string, call: unknown[]): void {
    this.#sessions.get(clientId);
    if (this.failure) throw this.failure;
    this.done.push(call);
  }
}
