import type { GroupAction, GroupResult, GroupUpdate, GroupView } from './api.js';
import type { ControlWire } from './client-wire.js';

/** The groups of a sandbox, as people see and change them on their phones. */
export class GroupsClient {
  readonly #wire: ControlWire;

  constructor(wire: ControlWire) {
    this.#wire = wire;
  }

  /** Somebody makes a group; `results` tells whom the network did not let in. */
  create(
    number: string,
    group: { subject: string; participants?: string[] },
  ): Promise<GroupView & { results: GroupResult[] }> {
    return this.#wire.ask('POST', groupsPath(number), group);
  }

  get(jid: string): Promise<GroupView> {
    return this.#wire.ask('GET', `/groups/${encodeURIComponent(jid)}`);
  }

  /** The groups that somebody is in. */
  async of(number: string): Promise<GroupView[]> {
    return (await this.#wire.ask<{ groups: GroupView[] }>('GET', groupsPath(number))).groups;
  }

  update(number: string, jid: string, update: GroupUpdate): Promise<GroupView> {
    return this.#wire.ask('PATCH', groupsPath(number, jid), update);
  }

  /** Adds, removes, promotes or demotes people. */
  async participants(
    number: string,
    jid: string,
    action: GroupAction,
    participants: string[],
  ): Promise<GroupResult[]> {
    const path = groupsPath(number, jid, 'participants');
    return (await this.#wire.ask<{ results: GroupResult[] }>('POST', path, { action, participants })).results;
  }

  async leave(number: string, jid: string): Promise<void> {
    await this.#wire.ask('POST', groupsPath(number, jid, 'leave'));
  }

  /** The code that leads into a group; `renew` makes a new one, after which the old one leads nowhere. */
  async invite(number: string, jid: string, renew = false): Promise<string> {
    const path = groupsPath(number, jid, 'invite');
    return (await this.#wire.ask<{ code: string }>(renew ? 'DELETE' : 'GET', path)).code;
  }

  join(number: string, code: string): Promise<GroupView> {
    return this.#wire.ask('POST', groupsPath(number, 'join'), { code });
  }
}

function groupsPath(number: string, ...rest: string[]): string {
  return ['/phones', ...[number, 'groups', ...rest].map(encodeURIComponent)].join('/');
}
