import { expect } from 'chai';
import { until } from '../../support/until.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const TEXTS = ['first', 'second', 'third'];

describe('a link that is closed while messages arrive', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  /** Calls `act` when the next message is in the journal, and holds it there until the returned function is called. */
  function holdNextCommit(act: () => void): () => void {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    session.keys.onCommit = async ({ journal }) => {
      if (!journal?.length) return;
      session.keys.onCommit = () => undefined;
      act();
      await held;
    };
    return release;
  }

  const textsOf = () => session.all('message').map(({ message }) => textOf(message));
  const writeAll = async () => {
    for (const text of TEXTS) await rig.network.write(BOB, { to: ALICE, text });
  };

  for (const end of ['close', 'logout'] as const) {
    it(`reports a message that is already in the journal before ${end}() resolves`, async () => {
      let ended: Promise<unknown> | undefined;
      const committed = new Promise<void>((resolve) => {
        const release = holdNextCommit(() => {
          ended = session.link?.[end]();
          release();
          resolve();
        });
      });
      await rig.network.write(BOB, { to: ALICE, text: 'precious' });
      await committed;
      await ended;
      expect(textsOf()).to.deep.equal(['precious']);
      expect(session.all('closed')).to.deep.equal([]);
    });
  }

  it('ends once it reads no more messages: the next link gets the remaining ones, in order', async () => {
    let closing: Promise<void> | undefined;
    const committed = new Promise<() => void>((resolve) => {
      const release = holdNextCommit(() => {
        closing = session.link?.close();
        resolve(release);
      });
    });
    const all = writeAll();
    const release = await committed;
    await all;
    let isGone = false;
    const gone = closing?.then(() => {
      isGone = true;
    });
    await until('the end of the connection', async () => {
      const { devices } = await rig.network.phone(ALICE);
      return devices.every(({ connected }) => !connected);
    });
    expect(isGone).to.equal(false);
    release();
    await gone;
    expect(textsOf()).to.deep.equal(['first']);
    expect(session.keys.journal.size).to.equal(1);
    session.open();
    await session.next('message', ({ message }) => textOf(message) === 'third');
    expect(textsOf()).to.deep.equal(TEXTS);
    expect(session.keys.journal.size).to.equal(TEXTS.length);
  });

  it('reports nothing after it was cut because another node holds the session', async () => {
    const committed = new Promise<void>((resolve) => {
      const release = holdNextCommit(() => {
        session.link?.cut();
        release();
        resolve();
      });
    });
    await rig.network.write(BOB, { to: ALICE, text: 'precious' });
    await committed;
    session.open();
    expect(textOf((await session.next('message')).message)).to.equal('precious');
    expect(session.all('message')).to.have.lengthOf(1);
  });
});
