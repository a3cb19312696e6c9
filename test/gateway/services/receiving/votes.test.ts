import { createHash } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { PollVoteExtra } from '../../../../src/contract/events/extras.js';
import type { PollAnswer } from '../../../../src/gateway/delivery/poll-lookup.js';
import type { Content } from '../../../../src/gateway/kinds/kind.js';
import type { IncomingMessage } from '../../../../src/gateway/link/link.js';
import type { SessionRecord } from '../../../../src/gateway/store/store.js';
import { seal } from '../../../../src/sandbox/phone/message-secret.js';
import {
  GROUP,
  HOSTED,
  incoming,
  type Receiving,
  ROOM,
  SENT_AT,
  SESSION,
} from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

const BOB = { lid: '90000000000002@lid', pn: '15550000002@s.whatsapp.net' };
const ME = { lid: '90000000000001@lid', pn: '15550000001@s.whatsapp.net' };
const SECRET = new Uint8Array(32).fill(9);
const LOOKED_UP = { ...SESSION, pollLookupUrl: 'https://example.org/polls' };
const NO_ANSWER: PollAnswer = { reason: 'answered 500', stopped: false };

describe('Receiver: messages with an inner encryption', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  const withOptions = (...options: string[]) => {
    rig.answer = async () => ({ options });
  };
  /** Bob votes in the own poll P1. */
  const vote = async (options: string[], session: SessionRecord, how: Partial<Ballot> = {}) => {
    await rig.receive(ballot({ options, ...how }), session);
    return voteOf(rig);
  };

  describe('a vote', () => {
    it('a vote gets its option names from the history, if it has the poll', async () => {
      await rig.receive(poll(), HOSTED);
      const pollVote = await vote(['Soup'], { ...HOSTED, pollLookupUrl: 'https://example.org/polls' });
      expect(pollVote).to.deep.equal({
        pollMessageId: 'P1',
        voter: '90000000000002',
        resolved: true,
        selectedOptions: ['Soup'],
        selectedHashes: [sha256('Soup')],
      });
      expect(rig.asked).to.deep.equal([]);
      expect(rig.events.at(-1)).to.include({ type: 'vote_update', body: 'Soup', messageId: 'V1' });
      expect((await rig.history()).at(-1)).to.deep.include({
        messageType: 'vote_update',
        body: 'Soup',
        extras: { pollVote },
      });
    });

    it('a vote adds no unread message, and is not shown as the last message', async () => {
      await rig.receive(poll(), HOSTED);
      await vote(['Soup'], HOSTED);
      expect(await rig.store.history.room('acme', ROOM)).to.include({
        unreadCount: 0,
        lastMessage: 'Lunch?',
      });
    });

    it('a vote gets its option names from the poll look-up', async () => {
      withOptions('Salad', 'Pizza', 'Soup');
      await rig.receive(poll(), LOOKED_UP);
      expect(await vote(['Soup', 'Pizza'], LOOKED_UP)).to.deep.include({
        resolved: true,
        selectedOptions: ['Pizza', 'Soup'],
      });
      expect(rig.asked).to.deep.equal([{ clientId: 'acme', chatRoomId: ROOM, pollMessageId: 'P1' }]);
    });

    it('a vote keeps its hashes when the names are unknown', async () => {
      await rig.receive(poll());
      expect(await vote(['Soup'], SESSION)).to.deep.equal({
        pollMessageId: 'P1',
        voter: '90000000000002',
        resolved: false,
        selectedOptions: [],
        selectedHashes: [sha256('Soup')],
      });
      expect(rig.events.at(-1)).to.include({ type: 'vote_update', body: '' });
    });

    it('a vote keeps its hashes when the look-up fails, or answers for another poll', async () => {
      await rig.receive(poll(), LOOKED_UP);
      rig.answer = async () => NO_ANSWER;
      expect(await vote(['Soup'], LOOKED_UP)).to.include({ resolved: false });
      withOptions('Soup', 'Tea');
      expect(await vote(['Soup', 'Pizza'], LOOKED_UP, { messageId: 'V2' })).to.deep.include({
        resolved: false,
        selectedOptions: [],
        selectedHashes: [sha256('Soup'), sha256('Pizza')],
      });
    });

    it('a vote needs no names when it removes all choices', async () => {
      await rig.receive(poll(), LOOKED_UP);
      expect(await vote([], LOOKED_UP)).to.deep.include({
        resolved: true,
        selectedOptions: [],
        selectedHashes: [],
      });
      expect(rig.asked).to.deep.equal([]);
    });

    it('a vote shares one look-up with other votes at the same time and soon after', async () => {
      await rig.receive(poll(), LOOKED_UP);
      withOptions('Pizza', 'Soup');
      for (const messageId of ['V1', 'V2', 'V3'])
        rig.take(ballot({ messageId, options: ['Soup'] }), LOOKED_UP);
      await rig.receiver.idle();
      expect(await vote(['Pizza'], LOOKED_UP, { messageId: 'V4' })).to.include({ resolved: true });
      expect(rig.asked).to.have.length(1);
    });

    it('a vote is looked up again when the answer was too large to keep', async () => {
      await rig.receive(poll(), LOOKED_UP);
      withOptions('Soup', 'x'.repeat(5 * 1024 * 1024));
      for (const messageId of ['V1', 'V2'])
        expect(await vote(['Soup'], LOOKED_UP, { messageId })).to.include({ resolved: true });
      expect(rig.asked).to.have.length(2);
    });

    it('a vote delays no other message during its look-up', async () => {
      await rig.receive(poll(), LOOKED_UP);
      let answer: (found: PollAnswer) => void = () => undefined;
      const asked = new Promise<void>((resolve) => {
        rig.answer = () => {
          resolve();
          return new Promise((found) => {
            answer = found;
          });
        };
      });
      const told = new Promise<void>((resolve) => {
        rig.beforeAnnounce = async ({ messageId }) => {
          if (messageId === 'M9') resolve();
        };
      });
      rig.take(ballot({ options: ['Soup'] }), LOOKED_UP);
      rig.take({ messageId: 'M9' }, LOOKED_UP);
      await Promise.all([told, asked]);
      expect(rig.receiver.health('acme').openJournal).to.be.at.least(1);
      answer({ options: ['Soup', 'Pizza'] });
      await rig.receiver.idle();
      expect(voteOf(rig)).to.include({ resolved: true });
    });

    it('a vote is left to the next start when the gateway stops during its look-up', async () => {
      await rig.receive(poll(), LOOKED_UP);
      await rig.store.keys.commit('acme', { journal: [entry('entry-1')] });
      rig.answer = async () => ({ reason: 'broken off by the stop', stopped: true });
      await rig.receive(ballot({ options: ['Soup'], journalIds: ['entry-1'] }), LOOKED_UP);
      expect(voteOf(rig)).to.equal(undefined);
      expect(await rig.store.journal.countOpen('acme')).to.equal(1);
    });

    it('a vote is not written when its session was deleted meanwhile', async () => {
      const session = { ...HOSTED, pollLookupUrl: 'https://example.org/polls' };
      await rig.receive({
        content: { ...POLL, pollCreationMessageV3: { name: 'Other' } },
        messageId: 'P1',
        fromMe: true,
      });
      let answer: (found: PollAnswer) => void = () => undefined;
      const asked = new Promise<void>((resolve) => {
        rig.answer = () => {
          resolve();
          return new Promise((found) => {
            answer = found;
          });
        };
      });
      rig.take(ballot({ options: ['Soup'] }), session);
      await asked;
      rig.receiver.abort('acme');
      answer({ options: ['Soup'] });
      await rig.receiver.idle();
      expect(await rig.store.history.rooms('acme')).to.deep.equal([]);
    });

    for (const voter of [BOB.lid, BOB.pn]) {
      for (const author of [ME.lid, ME.pn]) {
        it(`a vote is decrypted with either address: voter ${voter}, author ${author}`, async () => {
          await rig.receive(poll());
          expect(await vote(['Soup'], SESSION, { voter, author })).to.deep.include({
            selectedHashes: [sha256('Soup')],
          });
        });
      }
    }

    it('a vote is decrypted when the linked phone votes in the poll of another person', async () => {
      await rig.receive(poll({ fromMe: false }), HOSTED);
      await rig.receive(ballot({ options: ['Soup'], voter: ME.lid, author: BOB.lid, fromMe: true }), HOSTED);
      expect(rig.events.at(-1)).to.include({ event: 'message.sent', fromMe: true });
      expect(voteOf(rig)).to.deep.include({ voter: '90000000000001', selectedOptions: ['Soup'] });
    });

    it('a vote is decrypted in a group', async () => {
      const session = { ...HOSTED, enableGroupAi: true };
      const carol = { participant: '90000000000003@lid', participantAlt: '15550000003@s.whatsapp.net' };
      await rig.receive({ ...poll({ fromMe: false }), ...GROUP }, session);
      await rig.receive(
        { ...ballot({ options: ['Soup'], voter: carol.participant, author: BOB.lid }), ...GROUP, ...carol },
        session,
      );
      expect(voteOf(rig)).to.deep.include({ voter: '90000000000003', selectedOptions: ['Soup'] });
    });

    it('a vote is decrypted while its poll is still in flight', async () => {
      rig.take(poll(), HOSTED);
      rig.take(ballot({ options: ['Soup'] }), HOSTED);
      await rig.receiver.idle();
      expect(voteOf(rig)).to.include({ resolved: true });
    });

    it('a vote waits for no other vote, also when each claims to be about the other', async () => {
      const about = (messageId: string, id: string) => {
        const { content, ...message } = ballot({ messageId });
        const { pollUpdateMessage } = proto.Message.create(content);
        return {
          ...message,
          content: { pollUpdateMessage: { ...pollUpdateMessage, pollCreationMessageKey: { id } } },
        };
      };
      for (const message of [about('V1', 'V2'), about('V2', 'V1'), about('V3', 'V3')]) rig.take(message);
      await rig.receiver.idle();
      expect(rig.events.map(({ messageId }) => messageId)).to.have.members(['V1', 'V2', 'V3']);
    });

    it('a vote is decrypted when only the record of the send has its poll', async () => {
      const content = proto.Message.encode(POLL).finish();
      const sent = { messageId: 'P1', to: BOB.lid, content, metaData: '', fileName: '', sentAt: SENT_AT };
      await rig.store.sends.put('acme', { ...sent, acknowledged: false, closed: false });
      expect(await vote(['Soup'], HOSTED)).to.include({ resolved: true });
    });

    it('a vote is decrypted when only the history has its poll', async () => {
      await rig.receive(poll({ fromMe: false }), HOSTED);
      await rig.store.traces.prune(SENT_AT + 1);
      const how = { voter: ME.pn, author: BOB.pn, fromMe: true };
      expect(await vote(['Soup'], HOSTED, how)).to.include({ resolved: true });
    });

    it('a vote is decrypted in an own poll whose id another person used first in another chat', async () => {
      const forged = { ...POLL, messageContextInfo: { messageSecret: new Uint8Array(32) } };
      await rig.receive({ messageId: 'P1', chat: '90000000000003@lid', content: forged });
      const content = proto.Message.encode(POLL).finish();
      const sent = { messageId: 'P1', to: BOB.lid, content, metaData: '', fileName: '', sentAt: SENT_AT };
      await rig.store.sends.put('acme', { ...sent, acknowledged: false, closed: false });
      expect(await vote(['Soup'], SESSION)).to.deep.include({ selectedHashes: [sha256('Soup')] });
    });

    it('a vote is decrypted in a poll of the history whose id another person used first in another chat', async () => {
      const forged = { ...POLL, messageContextInfo: { messageSecret: new Uint8Array(32) } };
      await rig.receive({ messageId: 'P1', chat: '90000000000003@lid', content: forged }, HOSTED);
      await rig.receive(poll(), HOSTED);
      expect(await vote(['Soup'], HOSTED)).to.include({ resolved: true });
    });

    it('a vote is decrypted in a poll whose secret is inside its wrapper', async () => {
      const { messageContextInfo, ...question } = POLL;
      const wrapped = { ephemeralMessage: { message: { ...question, messageContextInfo } } };
      await rig.receive({ ...poll(), content: { ...wrapped, messageContextInfo: {} } }, HOSTED);
      expect(await vote(['Soup'], HOSTED)).to.include({ resolved: true });
    });

    it('a vote is delivered encrypted when its poll is unknown, or another secret was used', async () => {
      const closed = { resolved: false, selectedOptions: [], selectedHashes: [] };
      expect(await vote(['Soup'], HOSTED)).to.deep.equal({
        ...closed,
        pollMessageId: 'P1',
        voter: '90000000000002',
      });
      await rig.receive(poll());
      const secret = new Uint8Array(32);
      expect(await vote(['Soup'], SESSION, { messageId: 'V2', secret })).to.deep.include(closed);
      expect(rig.events).to.have.length(3);
    });

    it('a vote is delivered when it is empty', async () => {
      await rig.receive({ content: { pollUpdateMessage: {} } });
      expect(voteOf(rig)).to.deep.include({ pollMessageId: '', resolved: false });
    });

    it('a vote is not looked up when it is neither delivered nor recorded', async () => {
      await rig.receive({ ...ballot({ options: ['Soup'] }), ...GROUP }, LOOKED_UP);
      expect(rig.asked).to.deep.equal([]);
      expect(rig.events).to.deep.equal([]);
    });
  });

  describe('an encrypted edit', () => {
    const key = { remoteJid: ME.lid, fromMe: true, id: 'M1' };
    const sealedEdit = (secret = SECRET): Partial<IncomingMessage> => {
      const edit = { type: 14, key, editedMessage: { conversation: 'hello!' } };
      const plain = proto.Message.encode({ protocolMessage: edit }).finish();
      const context = { secret, targetId: 'M1', targetAuthor: BOB.lid, sender: BOB.lid };
      const sealed = seal(plain, { ...context, useCase: 'Message Edit' });
      const secretEncType = proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT;
      const secretEncryptedMessage = { ...sealed, targetMessageKey: key, secretEncType };
      return { messageId: 'E1', timestamp: SENT_AT + 1_000, content: { secretEncryptedMessage } };
    };
    const original = { content: { conversation: 'hello', messageContextInfo: { messageSecret: SECRET } } };

    it('an encrypted edit is announced and recorded like any other edit', async () => {
      await rig.receive(original, HOSTED);
      await rig.receive(sealedEdit(), HOSTED);
      expect(rig.events[1]).to.deep.include({
        type: 'edit',
        messageId: 'E1',
        body: 'hello!',
        edit: { targetId: 'M1', body: 'hello!' },
      });
      expect(await rig.history()).to.have.length(1);
      expect((await rig.history())[0]).to.deep.include({ body: 'hello!' });
    });

    it('an encrypted edit is shown as unknown when it cannot be decrypted, and never lost', async () => {
      await rig.receive(original, HOSTED);
      await rig.receive(sealedEdit(new Uint8Array(32)), HOSTED);
      expect(rig.events[1]).to.include({ type: 'text', body: '[encrypted edit]' });
      expect((await rig.history())[0]).to.include({ body: 'hello' });
      expect(rig.counted).to.include('secretEncryptedMessage');
    });
  });

  it('announces and records an encrypted reaction like any other', async () => {
    await rig.receive(poll(), HOSTED);
    const key = { remoteJid: BOB.lid, fromMe: false, id: 'P1' };
    const plain = proto.Message.ReactionMessage.encode({ text: '👍' }).finish();
    const context = { secret: SECRET, targetId: 'P1', targetAuthor: ME.lid, sender: BOB.lid };
    const encReactionMessage = {
      ...seal(plain, { ...context, useCase: 'Enc Reaction' }),
      targetMessageKey: key,
    };
    await rig.receive({ messageId: 'R1', content: { encReactionMessage } }, HOSTED);
    expect(rig.events[1]).to.deep.include({
      type: 'reaction',
      reaction: { targetId: 'P1', targetFromMe: true, emoji: '👍' },
    });
    expect((await rig.history())[0]?.extras)
      .to.have.property('reactions')
      .that.deep.equals({ '90000000000002': '👍' });
  });
});

const POLL: Content = {
  pollCreationMessageV3: {
    name: 'Lunch?',
    options: [{ optionName: 'Pizza' }, { optionName: 'Soup' }],
    selectableOptionsCount: 1,
  },
  messageContextInfo: { messageSecret: SECRET },
};

/** The poll P1, written on the linked phone unless said otherwise. */
function poll({ fromMe = true } = {}): IncomingMessage {
  return incoming({ messageId: 'P1', fromMe, chatAlt: BOB.pn, content: POLL });
}

interface Ballot {
  messageId: string;
  options: string[];
  voter: string;
  author: string;
  secret: Uint8Array;
  fromMe: boolean;
  journalIds: string[];
}

function ballot({
  messageId = 'V1',
  options = [],
  voter = BOB.lid,
  author = ME.lid,
  secret = SECRET,
  fromMe = false,
  journalIds = [],
}: Partial<Ballot>): IncomingMessage {
  const selectedOptions = options.map((option) => createHash('sha256').update(option).digest());
  const sealed = seal(proto.Message.PollVoteMessage.encode({ selectedOptions }).finish(), {
    secret,
    targetId: 'P1',
    targetAuthor: author,
    sender: voter,
    useCase: 'Poll Vote',
    authenticated: `P1\0${voter}`,
  });
  const pollCreationMessageKey = { remoteJid: BOB.lid, fromMe: true, id: 'P1' };
  const content = { pollUpdateMessage: { pollCreationMessageKey, vote: sealed } };
  return incoming({ messageId, fromMe, chatAlt: BOB.pn, content, journalIds, timestamp: SENT_AT + 1_000 });
}

function voteOf({ events }: Receiving): PollVoteExtra | undefined {
  return events.at(-1)?.pollVote;
}

function entry(id: string) {
  const plain = new Uint8Array(1);
  return { id, messageId: 'V1', plain, stanza: plain, receivedAt: SENT_AT };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
