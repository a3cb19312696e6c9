import type { GatewayError } from '../../../src/domain/errors.js';
import type { Groups } from '../../../src/services/services.js';

const GROUP = '120363040000000001@g.us';
const LIST_ITEM = {
  jid: GROUP,
  name: 'Team',
  participants: 1,
  isAnnounce: false,
  isLocked: false,
  ownerJid: '90000000000001@lid',
};
const DETAIL = { jid: GROUP, name: 'Team', topic: '', addressingMode: 'lid', members: [] };

/** One group, of every known session. */
export class FakeGroups implements Groups {
  /** What was asked for: the method's name and its arguments. */
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

  async leave(clientId: string, groupJid: string) {
    this.#note(clientId, ['leave', groupJid]);
  }

  #note(clientId: string, call: unknown[]): void {
    this.#sessions.get(clientId);
    if (this.failure) throw this.failure;
    this.done.push(call);
  }
}
