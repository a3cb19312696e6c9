import { expect } from 'chai';
import { LIMITS } from '../../../../src/domain/limits.js';
import { sent } from '../../../contracts/store/harness.js';
import { HOSTED, incoming, type Receiving, SENT_AT, SESSION } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

describe('Receiver: the journal', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
    await rig.store.keys.commit('acme', { journal: ['one', 'two'].map(entry) });
  });
  afterEach(() => rig.close());

  const entry = (id: string) => {
    const bytes = new Uint8Array(1);
    return { id, messageId: 'M1', plain: bytes, stanza: bytes, receivedAt: SENT_AT };
  };
  const open = async () => (await rig.store.journal.open('acme')).map(({ id }) => id);
  const close = (id: string) => rig.store.journal.close('acme', [id], rig.clock.now());
  const ONE = { journalIds: ['one'] };
  const TWO = { journalIds: ['two'] };

  /** From now on events wait for the returned function. */
  function holdEvents(): () => void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    rig.beforeAnnounce = () => released;
    return () => release();
  }

  it('keeps a message until it is announced', async () => {
    let before: string[] = [];
    rig.beforeAnnounce = async () => {
      before = await open();
    };
    await rig.receive(ONE);
    expect([before, await open()]).to.deep.equal([['one', 'two'], ['two']]);
  });

  it('keeps no message that is not admitted', async () => {
    await rig.receive({ ...ONE, chat: '123@broadcast' });
    expect(await open()).to.deep.equal(['two']);
  });

  it('keeps a message whose announcement failed, and announces it when it is delivered again', async () => {
    rig.beforeAnnounce = () => Promise.reject(new Error('broken'));
    expect(await rig.receive(ONE)).to.deep.equal([]);
    expect(await open()).to.deep.equal(['one', 'two']);
    rig.beforeAnnounce = async () => undefined;
    expect(await rig.receive(ONE)).to.have.length(1);
    expect(await open()).to.deep.equal(['two']);
  });

  it('closes the unreadable copies of a message that was read', async () => {
    rig.standIns = ['two'];
    await rig.receive(ONE);
    expect(await open()).to.deep.equal([]);
  });

  it('stores no part of a copy while another part is in flight', async () => {
    const release = holdEvents();
    rig.take(ONE);
    rig.take({ journalIds: ['one', 'two'] });
    release();
    await rig.receiver.idle();
    expect(await open()).to.deep.equal([]);
  });

  describe('a second copy of a message under another encryption', () => {
    beforeEach(() => {
      rig.restored.set('one', incoming(ONE));
    });

    it('waits for the first copy, and is not announced', async () => {
      const release = holdEvents();
      rig.take(ONE);
      rig.take(TWO);
      await rig.store.ping();
      release();
      await rig.receiver.idle();
      expect(rig.events).to.have.length(1);
      expect(rig.counted).to.deep.equal(['text', 'repeated']);
      expect(await open()).to.deep.equal([]);
    });

    it('is announced when the first copy was not', async () => {
      expect(await rig.receive(TWO)).to.have.length(1);
    });

    it('is announced when another author used the id', async () => {
      await close('one');
      expect(await rig.receive({ ...TWO, chat: '90000000000003@lid' })).to.have.length(1);
    });

    it('is announced when only a message between devices used the id', async () => {
      rig.restored.set('one', incoming({ ...ONE, content: { protocolMessage: { type: 6 } } }));
      await close('one');
      expect(await rig.receive(TWO)).to.have.length(1);
    });

    it('is announced when the closed entry is its own', async () => {
      await close('one');
      expect(await rig.receive({ journalIds: ['one', 'two'] })).to.have.length(1);
    });
  });

  describe('a message that could not be read', () => {
    const { content: _, ...message } = incoming(ONE);
    const tell = async (session = HOSTED) => {
      rig.session = session;
      rig.tellUnreadable({ ...message, reason: 'undecryptable', recovery: 'phone' }, session);
      await rig.receiver.idle();
    };

    it('is announced as unreadable once, gets a row, and leaves the journal', async () => {
      await Promise.all([tell(), tell()]);
      expect(rig.told).to.have.length(1);
      expect(rig.told[0]).to.include({ messageId: 'M1', reason: 'undecryptable' });
      expect(rig.told[0]).to.not.have.property('group');
      expect((await rig.history())[0]?.extras.unreadable).to.deep.equal({ reason: 'undecryptable' });
      expect([rig.events, rig.counted]).to.deep.equal([[], ['undecryptable']]);
      expect(await open()).to.deep.equal(['two']);
    });

    it('leaves the journal without an announcement, if it is a status', async () => {
      const status = { ...message, chat: 'status@broadcast', participant: '90000000000002@lid' };
      rig.tellUnreadable({ ...status, reason: 'undecryptable', recovery: 'phone' }, HOSTED);
      await rig.receiver.idle();
      expect([rig.told, rig.posts, await open()]).to.deep.equal([[], [], ['two']]);
    });

    it('is not announced as unreadable when a copy was announced', async () => {
      rig.restored.set('two', incoming(TWO));
      await close('two');
      await tell();
      expect([rig.told, rig.counted, await open()]).to.deep.equal([[], [], []]);
    });

    it('waits for a copy that is in flight, and is not announced as unreadable when that copy was announced', async () => {
      rig.restored.set('two', incoming(TWO));
      const release = holdEvents();
      rig.take(TWO);
      const told = tell(SESSION);
      release();
      await told;
      expect([rig.told, rig.events.length]).to.deep.equal([[], 1]);
    });

    it('is announced as unreadable beside another one at the same time', async () => {
      const reason = { reason: 'undecryptable', recovery: 'phone' } as const;
      for (const [messageId, id] of Object.entries({ M1: 'one', M2: 'two' }))
        rig.tellUnreadable({ ...message, messageId, journalIds: [id], ...reason });
      await rig.receiver.idle();
      expect(rig.told.map(({ messageId }) => messageId)).to.have.members(['M1', 'M2']);
      expect(await open()).to.deep.equal([]);
    });

    it('is not announced as unreadable when it is a broadcast', async () => {
      const broadcast = { ...message, chat: 'status@broadcast' };
      rig.tellUnreadable({ ...broadcast, reason: 'undecryptable', recovery: 'none' });
      await rig.receiver.idle();
      expect([rig.told, await open()]).to.deep.equal([[], ['two']]);
    });
  });

  it('keeps an own send open until it is announced, with the data of its caller', async () => {
    const own = sent('M1', { acknowledged: true, closed: false });
    await rig.store.sends.put('acme', own);
    const isClosed = async () => (await rig.store.sends.get('acme', 'M1'))?.closed;
    rig.beforeAnnounce = () => Promise.reject(new Error('broken'));
    const echo = () => rig.receiver.echo(SESSION, incoming({ fromMe: true }), { metaData: { order: 7 } });
    await echo();
    await rig.receiver.idle();
    expect(await isClosed()).to.equal(false);
    let before: boolean | undefined;
    rig.beforeAnnounce = async () => {
      before = await isClosed();
    };
    await echo();
    await rig.receiver.idle();
    expect([before, await isClosed()]).to.deep.equal([false, true]);
    expect(rig.events.map(({ meta }) => meta)).to.deep.equal([{ raw: { order: 7 } }]);
  });

  describe('a session that ends', () => {
    const OTHER = { ...SESSION, clientId: 'other' };

    it('waits for its own messages, and no longer than the grace period', async () => {
      const release = holdEvents();
      rig.take(ONE, { ...SESSION, webhookUrl: '' });
      expect([
        rig.receiver.health('acme').openJournal,
        rig.receiver.health('other').openJournal,
      ]).to.deep.equal([1, 0]);
      await rig.receiver.idle('other');
      await rig.receiver.end('other');
      const ended = rig.receiver.end('acme');
      await rig.clock.scheduled(LIMITS.endGraceMs);
      rig.clock.advance(LIMITS.endGraceMs);
      await ended;
      release();
      await rig.receiver.idle();
      // it was not delivered: the next owner announces it
      expect(await open()).to.deep.equal(['one', 'two']);
      expect(rig.receiver.health('acme').openJournal).to.equal(0);
    });

    it('does not disturb the messages of other sessions', async () => {
      const release = holdEvents();
      rig.take(ONE, { ...SESSION, webhookUrl: '' });
      await rig.receiver.end('other');
      rig.receiver.abort(OTHER.clientId);
      release();
      await rig.receiver.idle('acme');
      expect(await open()).to.deep.equal(['two']);
    });
  });
});
