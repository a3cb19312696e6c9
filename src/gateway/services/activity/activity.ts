import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import { Calls } from './calls.js';
import { GroupUpdates } from './group-updates.js';
import { Presence } from './presence.js';
import { Restrictions } from './restrictions.js';

/** The services for what the network tells beside messages: calls, presence, changes of groups, and restrictions of the account. */
export class Activity {
  readonly presence: Presence;
  readonly restrictions: Restrictions;
  /** The parts of a session, in the order of its life. */
  readonly parts: readonly SessionPart[];
  readonly #calls: Calls;
  readonly #groupUpdates: GroupUpdates;

  constructor(
    options: ConstructorParameters<typeof Calls>[0] &
      ConstructorParameters<typeof GroupUpdates>[0] &
      ConstructorParameters<typeof Presence>[0] &
      ConstructorParameters<typeof Restrictions>[0],
  ) {
    this.#calls = new Calls(options);
    this.#groupUpdates = new GroupUpdates(options);
    this.presence = new Presence(options);
    this.restrictions = new Restrictions(options);
    this.parts = [this.#calls, this.#groupUpdates, this.presence, this.restrictions];
  }

  /** Takes an event of a link; events of other types concern others. */
  hear(heard: SessionEvent): void {
    if (heard.type !== 'link') return;
    const { session, event } = heard;
    const { record } = session;
    if (event.type === 'call') this.#calls.take(session, event.call);
    if (event.type === 'group-update') this.#groupUpdates.take(record, event.update);
    if (event.type === 'restriction') this.restrictions.take(session, event.restriction);
    if (event.type === 'presence') this.presence.take(record, event);
    if (event.type === 'message') this.presence.noteMessage(record, event.message);
  }
}
