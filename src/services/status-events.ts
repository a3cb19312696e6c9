import { parseJid } from '../domain/address.js';
import type { Clock } from '../domain/clock.js';
import type { SessionStatus } from '../domain/session.js';
import type { ExtraEventType, GatewayEvent } from '../events/catalogue.js';
import type { LinkEvent } from '../link/link.js';
import type { SessionRecord } from '../store/store.js';
import { type Announcer, receiverOf } from './receive/receive.js';

type MessageStatusUpdate = Extract<LinkEvent, { type: 'message-status' }>;

/** The opt-in events: every tail sees them, a receiver only those that its session asked for. */
export class StatusEvents {
  readonly #announcer: Announcer;
  readonly #clock: Clock;

  constructor(announcer: Announcer, clock: Clock) {
    this.#announcer = announcer;
    this.#clock = clock;
  }

  sessionStatus(session: SessionRecord, previousStatus: SessionStatus): void {
    this.#announce(session, {
      event: 'session.status',
      type: 'session_status',
      clientId: session.clientId,
      orgId: session.orgId,
      timestamp: new Date(this.#clock.now()).toISOString(),
      status: session.status,
      previousStatus,
      reason: session.statusReason,
    });
  }

  messageStatus(session: SessionRecord, update: MessageStatusUpdate): void {
    this.#announce(session, {
      event: 'message.status',
      type: 'message_status',
      clientId: session.clientId,
      orgId: session.orgId,
      timestamp: new Date(update.at).toISOString(),
      messageId: update.messageId,
      status: update.status,
      by: parseJid(update.by)?.user ?? '',
      code: update.code ?? '',
    });
  }

  #announce(session: SessionRecord, event: GatewayEvent & { type: ExtraEventType }): void {
    const wanted = session.extraEvents.includes(event.type);
    void this.#announcer.announce(event, wanted ? receiverOf(session) : undefined);
  }
}
