import type { GroupAction, GroupResult, GroupUpdate, GroupView } from './api-groups.js';
import type { ControlHttp } from './client-http.js';

/** The groups of a sandbox, as people use them on their phones. */
export class GroupsClient {
  readonly #http: ControlHttp;

  constructor(http: ControlHttp) {
    this.#http = http;
  }

  /** A person creates a group; `results` has the status of each participant. */
  create(
    number: string,
    group: { subject: string; participants?: string[] },
  ): Promise<GroupView & { results: GroupResult[] }> {
    return this.#http.ask('POST', groupsPath(number), group);
  }

  get(jid: string): Promise<GroupView> {
    return this.#http.ask('GET', `/groups/${encodeURIComponent(jid)}`);
  }

  /** The groups of a person. */
  async of(number: string): Promise<GroupView[]> {
    return (await this.#http.ask<{ groups: GroupView[] }>('GET', groupsPath(number))).groups;
  }

  update(number: string, jid: string, update: GroupUpdate): Promise<GroupView> {
    return this.#http.ask('PATCH', groupsPath(number, jid), update);
  }

  async participants(
    number: string,
    jid: string,
    action: GroupAction,
    participants: string[],
  ): Promise<GroupResult[]> {
    const path = groupsPath(number, jid, 'participants');
    return (await this.#http.ask<{ results: GroupResult[] }>('POST', path, { action, participants })).results;
  }

  /** An admin approves or rejects people who ask to join. */
  async answerRequests(
    number: string,
    jid: string,
    action: 'approve' | 'reject',
    participants: string[],
  ): Promise<GroupResult[]> {
    const path = groupsPath(number, jid, 'requests');
    return (await this.#http.ask<{ results: GroupResult[] }>('POST', path, { action, participants })).results;
  }

  async leave(number: string, jid: string): Promise<void> {
    await this.#http.ask('POST', groupsPath(number, jid, 'leave'));
  }

  /** The invite code of a group; `renew` replaces it, and the old code stops working. */
  async invite(number: string, jid: string, renew = false): Promise<string> {
    const path = groupsPath(number, jid, 'invite');
    return (await this.#http.ask<{ code: string }>(renew ? 'DELETE' : 'GET', path)).code;
  }

  /** Joins by the invite, or asks to join where an admin must approve (`requests` of the group). */
  join(number: string, code: string): Promise<GroupView> {
    return this.#http.ask('POST', groupsPath(number, 'join'), { code });
  }
}

function groupsPath(number: string, ...rest: string[]): string {
  return ['/phones', ...[number, 'groups', ...rest].map(encodeURIComponent)].join('/');
}
