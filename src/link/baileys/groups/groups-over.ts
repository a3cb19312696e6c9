import type { LinkGroups } from '../../port/groups.js';

/** Runs a call over the link's connection, or refuses it while there is none. */
type Run = <T>(call: (groups: LinkGroups) => Promise<T>) => Promise<T>;

/** The groups of whatever connection there is when a call is made. */
export function groupsOver(run: Run): LinkGroups {
  return {
    list: () => run((groups) => groups.list()),
    get: (jid) => run((groups) => groups.get(jid)),
    create: (subject, participants) => run((groups) => groups.create(subject, participants)),
    changeMembers: (jid, action, participants) =>
      run((groups) => groups.changeMembers(jid, action, participants)),
    inviteCode: (jid, reset) => run((groups) => groups.inviteCode(jid, reset)),
    leave: (jid) => run((groups) => groups.leave(jid)),
  };
}
