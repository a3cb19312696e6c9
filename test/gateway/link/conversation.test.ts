import { expect } from 'chai';
import type { SessionRecord } from 'libsignal';
import { makeKeyStore } from '../../../src/gateway/link/baileys/keys.js';
import { MemoryLinkKeys } from '../../support/memory-link-keys.js';
import { linkRecords, Party } from '../../support/signal-party.js';

const TURNS = 150;
/** More than the chains that are kept. */
const REPLACED_AFTER = 70;
const MAX_RECORD_BYTES = 8 * 1024;

describe('a long conversation with one contact', () => {
  let keys: MemoryLinkKeys;
  let link: Party;
  let contact: Party;

  beforeEach(async () => {
    keys = new MemoryLinkKeys();
    link = new Party(linkRecords(makeKeyStore(keys, () => undefined)));
    let record: ReturnType<SessionRecord['serialize']> | undefined;
    contact = new Party({
      load: async () => record,
      store: async (changed) => {
        record = changed.serialize();
      },
    });
    await contact.meet(link);
  });

  const recordBytes = async () => (await keys.get('session', ['other.1'])).get('other.1')?.length ?? 0;

  /** Each side writes once. */
  async function turn(at: number): Promise<void> {
    expect(await link.reads(await contact.writes(`question ${at}`))).to.equal(`question ${at}`);
    expect(await contact.reads(await link.writes(`answer ${at}`))).to.equal(`answer ${at}`);
  }

  it('keeps its record small, however often both sides write', async () => {
    for (let at = 0; at < TURNS; at++) await turn(at);
    expect(await recordBytes()).to.be.lessThan(MAX_RECORD_BYTES);
    const early = await recordBytes();
    for (let at = 0; at < 20; at++) await turn(at);
    expect(await recordBytes()).to.be.closeTo(early, 64);
  });

  it('keeps few message chains of replaced sessions', async () => {
    for (let at = 0; at < REPLACED_AFTER; at++) await turn(at);
    const open = await recordBytes();
    await contact.meet(link);
    await turn(REPLACED_AFTER);
    expect(await recordBytes()).to.be.lessThan(open / 2);
    for (let at = 0; at < REPLACED_AFTER; at++) await turn(at);
    expect(await recordBytes()).to.be.lessThan(open * 1.25);
  });

  it('reads messages that arrive late or out of order, within twenty changes of direction', async () => {
    await turn(0);
    const late = [];
    for (let at = 0; at < 20; at++) {
      late.push(await contact.writes(`first ${at}`), await contact.writes(`second ${at}`));
      expect(await link.reads(await contact.writes(`third ${at}`))).to.equal(`third ${at}`);
      expect(await contact.reads(await link.writes(`answer ${at}`))).to.equal(`answer ${at}`);
    }
    const read = [];
    for (const message of late.reverse()) read.push(await link.reads(message));
    expect(read.sort()).to.deep.equal(
      Array.from({ length: 20 }, (_, at) => at)
        .flatMap((at) => [`first ${at}`, `second ${at}`])
        .sort(),
    );
    await turn(1);
  });

  it('refuses a message that is later than sixty changes of direction, and continues', async () => {
    await turn(0);
    const late = await contact.writes('too late');
    for (let at = 0; at < 70; at++) await turn(at);
    const failed = await link.reads(late).then(
      () => false,
      () => true,
    );
    expect(failed).to.equal(true);
    await turn(9);
  });
});
