import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { isSameMessage } from '../../../../src/domain/same-message.js';
import type { IncomingMessage, UnreadableMessage } from '../../../../src/gateway/link/link.js';
import { UnreadableMessages } from '../../../../src/gateway/services/receiving/unreadable.js';
import type { Session } from '../../../../src/gateway/services/sessions/session.js';
import { ME, playedLink } from '../../../support/rig/link.js';
import { incoming } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';
import { until } from '../../../support/until.js';

const WAITS = { senderMs: 5_000, phoneMs: 60_000 };

function unreadable(fields: Partial<UnreadableMessage> = {}): UnreadableMessage {
  const { content: _, ...message } = incoming({ journalIds: ['M1 stands'] });
  return { ...message, reason: 'undecryptable', recovery: 'sender', ...fields };
}

describe('UnreadableMessages', () => {
  let rig: Rig;
  let session: Session;
  let messages: UnreadableMessages;
  /** Journal ids for which the phone was asked. */
  let asked: string[];
  let told: UnreadableMessage[];
  let isUp: boolean;
  let refusal: Error | undefined;
  let reconnect: () => Promise<void>;

  beforeEach(async () => {
    rig = await Rig.start();
    [asked, told, isUp, refusal] = [[], [], true, undefined];
    const link = playedLink({
      isUp: () => isUp,
      async requestResend(journalId) {
        asked.push(journalId);
        if (refusal) throw refusal;
      },
    });
    const { sessions, connect, disconnect, opened } = rig.sessions(link);
    await connect();
    reconnect = async () => {
      const links = opened.length;
      await disconnect();
      await until('the next link', async () => {
        if (opened.length > links) return true;
        rig.clock.advance(1_000);
        return false;
      });
      opened.at(-1)?.emit({ type: 'open', me: ME });
      await session.connected(0);
    };
    session = sessions.find('acme');
    messages = new UnreadableMessages({
      parts: {
        tell(event) {
          if (event.type === 'stays_unreadable')
            told.push({ ...event.message, pushName: event.session.clientId });
        },
      },
      waits: WAITS,
      clock: rig.clock,
      log: rig.log,
    });
  });
  afterEach(() => rig.close());

  const toldIds = () => told.map(({ messageId }) => messageId);

  it('waits for the sender, then for the phone, and then reports the message with all its journal entries', async () => {
    messages.take(session, unreadable({ journalIds: ['M1 stands', 'part'] }));
    rig.clock.advance(WAITS.senderMs - 1);
    expect(asked).to.deep.equal([]);
    rig.clock.advance(1);
    expect(asked).to.deep.equal(['M1 stands']);
    rig.clock.advance(WAITS.phoneMs - 1);
    expect(told).to.deep.equal([]);
    rig.clock.advance(1);
    expect(told).to.deep.equal([
      unreadable({ journalIds: ['M1 stands', 'part'], recovery: 'phone', pushName: 'acme' }),
    ]);
    expect(messages.found('acme', incoming({}))).to.deep.equal([]);
    rig.clock.advance(WAITS.phoneMs);
    expect([asked.length, told.length]).to.deep.equal([1, 1]);
  });

  it('waits for the sender again after each copy, but for the phone only once', () => {
    messages.take(session, unreadable());
    rig.clock.advance(WAITS.senderMs - 1);
    messages.take(session, unreadable({ journalIds: ['M1 stands', 'second copy'] }));
    rig.clock.advance(WAITS.senderMs - 1);
    expect(asked).to.deep.equal([]);
    rig.clock.advance(1);
    expect(asked).to.deep.equal(['M1 stands']);
    rig.clock.advance(WAITS.phoneMs - 1);
    messages.take(session, unreadable({ journalIds: ['M1 stands', 'third copy'] }));
    rig.clock.advance(1);
    expect(asked).to.have.length(1);
    expect(told.map(({ journalIds }) => journalIds)).to.deep.equal([
      ['M1 stands', 'second copy', 'third copy'],
    ]);
  });

  it('reports messages at once that cannot be recovered', () => {
    messages.take(session, unreadable({ recovery: 'none', reason: 'malformed' }));
    expect(told).to.have.length(1);
    expect([asked, rig.clock.pending()]).to.deep.equal([[], []]);
  });

  it('keeps messages with different journal entries apart', () => {
    messages.take(session, unreadable());
    messages.take(session, unreadable({ messageId: 'M2', journalIds: ['M2 stands'] }));
    expect(messages.found('acme', incoming({}))).to.deep.equal(['M1 stands']);
    rig.clock.advance(WAITS.senderMs + WAITS.phoneMs);
    expect(toldIds()).to.deep.equal(['M2']);
  });

  it('returns the journal entries of a message that was read after all, and stops waiting', () => {
    messages.take(session, unreadable());
    messages.take(session, unreadable({ journalIds: ['M1 stands', 'part'] }));
    expect(messages.found('other', incoming({}))).to.deep.equal([]);
    expect(messages.found('acme', incoming({}))).to.deep.equal(['M1 stands', 'part']);
    expect(messages.found('acme', incoming({}))).to.deep.equal([]);
    rig.clock.advance(WAITS.senderMs + WAITS.phoneMs);
    expect([asked, told]).to.deep.equal([[], []]);
  });

  it('asks the phone once the session is connected, and only for messages that the phone may have', () => {
    isUp = false;
    messages.take(session, unreadable({ recovery: 'phone' }));
    messages.take(session, unreadable({ messageId: 'M2', journalIds: ['M2 stands'] }));
    rig.clock.advance(WAITS.senderMs - 1);
    expect(asked).to.deep.equal([]);
    isUp = true;
    messages.connected('other');
    expect(asked).to.deep.equal([]);
    messages.connected('acme');
    messages.connected('acme');
    expect(asked).to.deep.equal(['M1 stands']);
    rig.clock.advance(1);
    expect(asked).to.deep.equal(['M1 stands', 'M2 stands']);
    rig.clock.advance(WAITS.phoneMs);
    expect(toldIds()).to.deep.equal(['M1', 'M2']);
  });

  it('asks again when the connection ended before the request had left', async () => {
    refusal = new GatewayError('send_not_connected', 'the connection has ended');
    messages.take(session, unreadable({ recovery: 'phone' }));
    await setImmediate();
    rig.clock.advance(WAITS.phoneMs);
    expect(told).to.deep.equal([]);
    refusal = undefined;
    messages.connected('acme');
    expect(asked).to.deep.equal(['M1 stands', 'M1 stands']);
    rig.clock.advance(WAITS.phoneMs);
    expect(toldIds()).to.deep.equal(['M1']);
  });

  it('asks again over the next link, and counts the wait from there: the last request may be lost', async () => {
    messages.take(session, unreadable({ recovery: 'phone' }));
    expect(asked).to.have.length(1);
    rig.clock.advance(WAITS.phoneMs - 10_000);
    await reconnect();
    messages.connected('acme');
    messages.connected('acme');
    expect(asked).to.deep.equal(['M1 stands', 'M1 stands']);
    rig.clock.advance(WAITS.phoneMs - 1);
    expect(told).to.deep.equal([]);
    rig.clock.advance(1);
    expect(toldIds()).to.deep.equal(['M1']);
  });

  it('reports no message while no link could carry the answer, and asks over the next link', async () => {
    messages.take(session, unreadable({ recovery: 'phone' }));
    await reconnect();
    rig.clock.advance(WAITS.phoneMs);
    expect(told).to.deep.equal([]);
    messages.connected('acme');
    expect(asked).to.have.length(2);
    rig.clock.advance(WAITS.phoneMs);
    expect(toldIds()).to.deep.equal(['M1']);
  });

  it('reports a message after the wait when its request fails for another reason', async () => {
    refusal = new Error('broken');
    messages.take(session, unreadable({ recovery: 'phone' }));
    await setImmediate();
    messages.connected('acme');
    expect(asked).to.have.length(1);
    rig.clock.advance(WAITS.phoneMs);
    expect(toldIds()).to.deep.equal(['M1']);
  });

  it('reports no further message of a session that has left this node', async () => {
    for (const leave of [
      () => messages.abort('acme'),
      () => messages.end('acme'),
      async () => messages.stop(),
    ]) {
      messages.take(session, unreadable());
      messages.abort('other');
      expect(rig.clock.pending()).to.deep.equal([WAITS.senderMs]);
      await leave();
      expect(rig.clock.pending()).to.deep.equal([]);
      messages.connected('acme');
      expect(messages.found('acme', incoming({}))).to.deep.equal([]);
    }
    expect([asked, told]).to.deep.equal([[], []]);
  });
});

describe('two copies of messages', () => {
  const [LID, PN] = ['90000000000002@lid', '15550000002@s.whatsapp.net'];
  const inGroup = (author: Partial<IncomingMessage>) =>
    incoming({ chat: '120363040000000000@g.us', ...author });
  const cases: [what: string, one: IncomingMessage, other: IncomingMessage, isSame: boolean][] = [
    ['with the same id in one chat', incoming({}), incoming({ timestamp: 1 }), true],
    ['with two ids', incoming({}), incoming({ messageId: 'M2' }), false],
    ['of two directions', incoming({}), incoming({ fromMe: true }), false],
    ['in two chats', incoming({ chat: LID }), incoming({ chat: PN }), false],
    ['in two chats, one of them known', incoming({ chat: LID }), incoming({ chat: PN, chatAlt: LID }), true],
    ['of one author in a group', inGroup({ participant: LID }), inGroup({ participant: LID }), true],
    ['of two authors in a group', inGroup({ participant: LID }), inGroup({ participant: PN }), false],
    [
      'of an author with two addresses',
      inGroup({ participant: LID }),
      inGroup({ participant: PN, participantAlt: LID }),
      true,
    ],
    ['one of them without an author', inGroup({ participant: LID }), inGroup({}), false],
    [
      'of an own message, sent by two devices',
      inGroup({ fromMe: true, participant: LID }),
      inGroup({ fromMe: true, participant: PN }),
      true,
    ],
  ];
  for (const [what, one, other, isSame] of cases) {
    it(`${isSame ? 'are' : 'are not'} of one message: ${what}`, () => {
      expect([isSameMessage(one, other), isSameMessage(other, one)]).to.deep.equal([isSame, isSame]);
    });
  }
});
