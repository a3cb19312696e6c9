import type { GatewayError } from '../../../src/domain/errors.js';
import type { People } from '../../../src/services/services.js';

/** Knows Bob, for every known session. */
export class FakePeople implements People {
  /** What was asked for: the method's name and its arguments. */
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

  #note(clientId: string, call: unknown[]): void {
    this.#sessions.get(clientId);
    if (this.failure) throw this.failure;
    this.asked.push(call);
  }
}
