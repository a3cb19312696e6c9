import type { AddressBookEntry, PrivacyUpdate, PrivacyView } from './api.js';
import type { ControlHttp } from './client-http.js';

/** The privacy and the address books of a sandbox's people, as they keep them on their phones. */
export class PeopleClient {
  readonly #http: ControlHttp;

  constructor(http: ControlHttp) {
    this.#http = http;
  }

  privacy(number: string): Promise<PrivacyView> {
    return this.#http.ask('GET', `/phones/${encodeURIComponent(number)}/privacy`);
  }

  changePrivacy(number: string, update: PrivacyUpdate): Promise<PrivacyView> {
    return this.#http.ask('PATCH', `/phones/${encodeURIComponent(number)}/privacy`, update);
  }

  /** The names in the person's address book. */
  async contacts(number: string): Promise<AddressBookEntry[]> {
    const path = `/phones/${encodeURIComponent(number)}/contacts`;
    return (await this.#http.ask<{ contacts: AddressBookEntry[] }>('GET', path)).contacts;
  }

  /** Adds, renames and, with an empty name, removes contacts; resolves with the address book. */
  async nameContacts(number: string, contacts: AddressBookEntry[]): Promise<AddressBookEntry[]> {
    const path = `/phones/${encodeURIComponent(number)}/contacts`;
    return (await this.#http.ask<{ contacts: AddressBookEntry[] }>('PATCH', path, { contacts })).contacts;
  }
}
