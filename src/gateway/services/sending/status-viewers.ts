import { jidsOf, type Person, personOf } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import type { StatusAudience, StatusPrivacyMode, StatusSetting } from '../../../domain/status-audience.js';
import type { Link } from '../../link/link.js';
import type { SessionRecord, Store } from '../../store/store.js';
import { type Contacts, readPersonAddress } from '../identities/contacts.js';
import type { SendPolicies } from '../policies/send-policies.js';

/** The network's word for each mode. */
const SETTINGS: Readonly<Record<StatusPrivacyMode, StatusSetting>> = {
  contacts: 'contacts',
  except: 'denylist',
  only: 'allowlist',
};

/** Limits of one status. */
interface Narrowing {
  /** Only these people, in any form that callers write. */
  named?: readonly string[] | undefined;
  /** Also people whom the number blocks, or the policy denies: the status changes an earlier one, which they may have got. */
  isChange?: boolean;
}

/** Finds who gets a status. The network sends it to everybody whom the sender names, so the privacy setting is kept here. */
export class StatusViewers {
  readonly #options;

  constructor(options: {
    store: Pick<Store, 'contacts'>;
    contacts: Contacts;
    policies: Pick<SendPolicies, 'denied'>;
  }) {
    this.#options = options;
  }

  /**
   * The people in the address book whom the privacy setting lets see a status, by LID where known. Asks the network for the
   * setting and the block list only: a person whom the store does not know gets no status.
   * @throws GatewayError audience_empty, recipient_unknown, lookup_failed
   */
  async of(record: SessionRecord, link: Link, { named, isChange }: Narrowing = {}): Promise<StatusAudience> {
    const { store, policies } = this.#options;
    const { clientId } = record;
    const wanted = named && new AddressSet(await this.#find(clientId, named));
    const [{ mode, people }, blocked] = await Promise.all([
      link.account.statusPrivacy(),
      isChange ? [] : link.account.blocked(),
    ]);
    // before the address book is read: a pair of addresses may merge two contacts
    const listed = await this.#completed(clientId, people, 'status-privacy');
    const hidden = await this.#completed(clientId, blocked, 'block-list');
    const left = new AddressSet([...(mode === 'except' ? listed : []), ...hidden]);
    const denied = new AddressSet(isChange ? [] : policies.denied(record).map((jid) => personOf(jid)));
    const own = new AddressSet([record]);
    const candidates = mode === 'only' ? listed : await store.contacts.named(clientId);
    const chosen = candidates.filter(
      (person) =>
        !own.has(person) && !left.mayHave(person) && !denied.has(person) && (!wanted || wanted.has(person)),
    );
    const jids = [...new Set(chosen.map(jidOf).filter((jid) => jid !== ''))];
    if (jids.length > 0) return { setting: wanted ? 'allowlist' : SETTINGS[mode], people: jids };
    if (isChange) {
      const kind = mode === 'only' ? 'nobody_named' : 'no_contact';
      throw new GatewayError('audience_empty', reason('status_not_deleted', { kind }));
    }
    const kind = named ? 'named' : mode === 'only' ? 'only' : 'contacts';
    throw new GatewayError('audience_empty', reason('audience_empty', { kind }));
  }

  /** People of a list of the network, with the addresses that the store knows. */
  async #completed(clientId: string, people: readonly Person[], source: string): Promise<Person[]> {
    const { contacts } = this.#options;
    const completed: Person[] = [];
    for (const { lid, pn } of people) {
      const known =
        lid && pn
          ? await contacts.learn(clientId, { lid, pn, source })
          : await contacts.find(clientId, { lid, pn });
      completed.push({ lid: lid || known?.lid, pn: pn || known?.pn });
    }
    return completed;
  }

  /** @throws GatewayError recipient_unknown for what is no address */
  async #find(clientId: string, named: readonly string[]): Promise<Person[]> {
    const found: Person[] = [];
    for (const one of named) {
      const address = readPersonAddress(one, 'audience');
      const { kind, user } = address;
      found.push({ [kind]: user }, (await this.#options.contacts.at(clientId, address)) ?? {});
    }
    return found;
  }
}

/** People, each found by the LID or by the number. */
export class AddressSet {
  readonly #jids: ReadonlySet<string>;
  /** Of some people only the number is known. */
  readonly #lacksLid: boolean;
  /** Of some people only the LID is known. */
  readonly #lacksNumber: boolean;

  constructor(people: readonly Person[]) {
    this.#jids = new Set(people.flatMap(jidsOf));
    this.#lacksLid = people.some(({ lid, pn }) => pn && !lid);
    this.#lacksNumber = people.some(({ lid, pn }) => lid && !pn);
  }

  has(person: Person): boolean {
    return jidsOf(person).some((jid) => this.#jids.has(jid));
  }

  /** True also for a person who cannot be told from one of these: one is known by LID only, the other by number only. */
  mayHave(person: Person): boolean {
    return this.has(person) || (!person.pn && this.#lacksLid) || (!person.lid && this.#lacksNumber);
  }
}

/** The people, each once. */
export function distinctPeople(people: readonly Person[]): Person[] {
  const seen = new Set<string>();
  return people.filter((person) => {
    const jids = jidsOf(person);
    const isNew = !jids.some((jid) => seen.has(jid));
    for (const jid of jids) seen.add(jid);
    return isNew;
  });
}

/** The LID if it is known, otherwise the number; empty without both. */
function jidOf(person: Person): string {
  return jidsOf(person)[0] ?? '';
}
