import type { SessionPart } from '../sessions/session-parts.js';
import { Calls } from './calls.js';
import { GroupUpdates } from './group-updates.js';
import { IdentityChanges } from './identity-changes.js';
import { Presence } from './presence.js';
import { Restrictions } from './restrictions.js';

/**
 * The services for what the network tells beside messages: calls, presence, changes of groups and of identities, and restrictions of the
 * account.
 */
export class Activity {
  readonly presence: Presence;
  readonly restrictions: Restrictions;
  /** The parts of a session, in the order of its life. */
  readonly parts: readonly SessionPart[];

  constructor(
    options: ConstructorParameters<typeof Calls>[0] &
      ConstructorParameters<typeof GroupUpdates>[0] &
      ConstructorParameters<typeof IdentityChanges>[0] &
      ConstructorParameters<typeof Presence>[0] &
      ConstructorParameters<typeof Restrictions>[0],
  ) {
    this.presence = new Presence(options);
    this.restrictions = new Restrictions(options);
    this.parts = [
      new Calls(options),
      new GroupUpdates(options),
      new IdentityChanges(options),
      this.presence,
      this.restrictions,
    ];
  }
}
