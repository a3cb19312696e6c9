import { expect } from 'chai';
import type { EventEnvelope } from '../../src/events/envelope.js';
import type { PhoneView, WriteRequest } from '../../src/sandbox/client.js';
import type { MessageView } from '../../src/services/services.js';
import { eventOf } from './events.js';
import { ALICE, BOB, CAROL, linkSession } from './pairing.js';
import { startWorld, type World, type WorldOptions } from './world.js';

/** What a person writes, whoever gets it. */
export type Wish = Omit<WriteRequest, 'to'>;

/** A linked number with whom Bob has a chat. */
export interface Side {
  clientId: string;
  /** Empty when no history is kept. */
  orgId: string;
  phone: PhoneView;
  chatRoomId: string;
}

/** A world in which Bob chats with two linked numbers: one whose history is kept, and one without. */
export class Conversations {
  readonly world: World;
  readonly bob: PhoneView;
  readonly plain: Side;
  readonly hosted: Side;

  private constructor(world: World, bob: PhoneView, plain: Side, hosted: Side) {
    this.world = world;
    this.bob = bob;
    this.plain = plain;
    this.hosted = hosted;
  }

  static async start(options: WorldOptions = {}): Promise<Conversations> {
    const world = await startWorld(options);
    await world.phones.addPhone(BOB);
    const bob = await world.phones.phone(BOB.number);
    const side = async (clientId: string, person: typeof ALICE, orgId: string): Promise<Side> => {
      await linkSession(world, clientId, person);
      if (orgId) await world.api.post('/set-org-id', { clientId, orgId });
      const phone = await world.phones.phone(person.number);
      return { clientId, orgId, phone, chatRoomId: `${clientId}-${lidOf(phone)}-${lidOf(bob)}` };
    };
    return new Conversations(
      world,
      bob,
      await side('plain', ALICE, ''),
      await side('hosted', CAROL, 'workspace1'),
    );
  }

  /** Bob writes; resolves with the event. */
  async fromBob({ phone }: Side, wish: Wish): Promise<EventEnvelope> {
    return this.#write(BOB.number, phone.number, wish);
  }

  /** The linked phone's owner writes to Bob; resolves with the event. */
  async fromOwner({ phone }: Side, wish: Wish): Promise<EventEnvelope> {
    return this.#write(phone.number, BOB.number, wish);
  }

  /** The chat's stored messages. */
  async history({ chatRoomId }: Side): Promise<MessageView[]> {
    const { status, body } = await this.world.api.get(`/chatrooms/${chatRoomId}/messages`);
    expect(status, JSON.stringify(body)).to.equal(200);
    const messages: unknown = body.messages;
    if (!Array.isArray(messages)) throw new Error('the history is a list');
    return messages;
  }

  /** A stored message; undefined when there is none. */
  async row(side: Side, messageId: string): Promise<MessageView | undefined> {
    return (await this.history(side)).find((message) => message.messageId === messageId);
  }

  stop(): Promise<void> {
    return this.world.stop();
  }

  async #write(from: string, to: string, wish: Wish): Promise<EventEnvelope> {
    const { messageId } = await this.world.phones.write(from, { ...wish, to });
    return eventOf(this.world.receiver, messageId);
  }
}

export function lidOf({ lid }: Pick<PhoneView, 'lid'>): string {
  return lid.split('@')[0] ?? '';
}
