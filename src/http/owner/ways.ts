import { randomInt } from 'node:crypto';
import type { Owners, PeerNode } from '../../cluster/owners.js';

/** A session that a request is about. */
export interface Wanted {
  clientId: string;
  /** The request makes the session if there is none. */
  creates: boolean;
}

/** What happens next with a request. */
export type Way =
  /** It is answered here. Called at its end: absent when there is no session, which is what the handler will say. */
  | { to: 'handler'; leave?: () => void }
  | { to: 'node'; node: PeerNode }
  /** Its session is on its way from one node to another. */
  | { to: 'wait' };

/** Where requests go. */
export class Ways {
  readonly #owners: Owners;

  constructor(owners: Owners) {
    this.#owners = owners;
  }

  /** Of a caller's request. @throws GatewayError `store_unavailable` */
  async next(wanted: Wanted): Promise<Way> {
    const { clientId, creates } = wanted;
    const leave = this.#owners.enter(clientId);
    if (leave) return { to: 'handler', leave };
    const owner = await this.#owners.find(clientId);
    if (owner.at === 'peer') return { to: 'node', node: owner.node };
    if (owner.at !== 'nobody') return { to: 'wait' };
    if (creates) return this.#create(wanted);
    return { to: (await this.#owners.exists(clientId)) ? 'wait' : 'handler' };
  }

  /**
   * Of a request that another node has sent: it is answered here or not at all.
   * @returns ends it; undefined when the session is not here
   * @throws GatewayError `store_unavailable`
   */
  async enter({ clientId, creates }: Wanted): Promise<(() => void) | undefined> {
    const leave = this.#owners.enter(clientId);
    if (leave || !creates) return leave;
    this.#owners.distrust(clientId);
    const { at } = await this.#owners.find(clientId);
    if (at !== 'nobody' || !(await this.#owners.take(clientId))) return undefined;
    return this.#owners.enter(clientId);
  }

  async #create({ clientId }: Wanted): Promise<Way> {
    if (await this.#owners.take(clientId)) {
      const leave = this.#owners.enter(clientId);
      return leave ? { to: 'handler', leave } : { to: 'wait' };
    }
    this.#owners.distrust(clientId);
    const owner = await this.#owners.find(clientId);
    if (owner.at === 'peer') return { to: 'node', node: owner.node };
    // nobody was quicker: this node takes no more
    return owner.at === 'nobody' ? this.#toAnyOther() : { to: 'wait' };
  }

  async #toAnyOther(): Promise<Way> {
    const others = await this.#owners.others();
    const node = others.length > 0 ? others[randomInt(others.length)] : undefined;
    return node ? { to: 'node', node } : { to: 'wait' };
  }
}
