import { AsyncResource } from 'node:async_hooks';
import { addTransactionCapability, DEFAULT_CONNECTION_CONFIG, initAuthCreds } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { pino } from 'pino';
import { systemClock } from '../../../src/domain/clock.js';
import { InboundGate } from '../../../src/gateway/link/baileys/inbound-gate.js';
import { Journal } from '../../../src/gateway/link/baileys/journal.js';
import { makeKeyStore } from '../../../src/gateway/link/baileys/keys.js';
import { MemoryLinkKeys } from '../../support/memory-link-keys.js';

const GROUP = '120363000000000001@g.us';
const AUTHOR = '200000000000001@lid';
const KEY_ID = `${GROUP}::200000000000001_1::0`;
const TEXTS = ['first', 'second', 'third', 'fourth'];
const MANY = 250;
/** Bytes of a stored key. */
const SMALL = 2_000;
const LARGE = 32_000;
/** The form in which a stored key is bytes of the library. */
const RAW = 0;

describe('the keys of groups in the key store of a link', () => {
  let keys: MemoryLinkKeys;

  beforeEach(() => {
    keys = new MemoryLinkKeys();
  });

  /** A new run of the library over stored keys. */
  function library(
    stored: MemoryLinkKeys,
    makeSignalRepository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository,
  ) {
    const log = pino({ level: 'silent' });
    const { transactionOpts } = DEFAULT_CONNECTION_CONFIG;
    const store = addTransactionCapability(
      makeKeyStore(stored, () => undefined),
      log,
      transactionOpts,
    );
    return makeSignalRepository({ creds: initAuthCreds(), keys: store }, log);
  }

  /** The same, as a link wraps it. */
  function wrapped(stored: MemoryLinkKeys) {
    const journal = new Journal({
      ...{ keys: stored, clock: systemClock, gate: new InboundGate(), outside: new AsyncResource('test') },
      announcesHistory: () => false,
      onBegun: () => undefined,
      onDecrypted: () => true,
      onFailed: async () => undefined,
    });
    return library(stored, journal.makeRepository);
  }

  /** Bytes of the stored key of the author. */
  async function sizeIn(stored: MemoryLinkKeys): Promise<number> {
    return (await stored.get('sender-key', [KEY_ID])).get(KEY_ID)?.length ?? 0;
  }

  /**
   * Messages of one author, encrypted in this order. The link has the author's key.
   * @param ofAuthor the keys of the author
   */
  async function written(texts = TEXTS, ofAuthor = new MemoryLinkKeys()): Promise<Uint8Array[]> {
    const author = library(ofAuthor);
    const sealed: Uint8Array[] = [];
    for (const text of texts) {
      const { ciphertext, senderKeyDistributionMessage } = await author.encryptGroupMessage({
        ...{ group: GROUP, meId: AUTHOR, data: Buffer.from(text) },
      });
      if (sealed.length === 0) {
        const item = { groupId: GROUP, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage };
        await library(keys).processSenderKeyDistributionMessage({ authorJid: AUTHOR, item });
      }
      sealed.push(ciphertext);
    }
    return sealed;
  }

  /** Decrypts one message, as after a restart. */
  async function read(msg: Uint8Array | undefined): Promise<string> {
    const plain = await library(keys).decryptGroupMessage({
      ...{ group: GROUP, authorJid: AUTHOR, msg: msg ?? Buffer.alloc(0) },
    });
    return Buffer.from(plain).toString();
  }

  it('decrypt messages that later messages have overtaken', async () => {
    const [first, second, third, fourth] = await written();
    expect(await read(fourth)).to.equal('fourth');
    expect(await read(second)).to.equal('second');
    expect(await read(first)).to.equal('first');
    expect(await read(third)).to.equal('third');
  });

  it('decrypt overtaken messages also with a key that an earlier release stored', async () => {
    const [first, second] = await written();
    expect(await read(second)).to.equal('second');
    const stored = (await keys.get('sender-key', [KEY_ID])).get(KEY_ID);
    const states = JSON.parse(
      Buffer.from(stored ?? [])
        .subarray(1)
        .toString(),
      (_, value) => (value?.type === 'Buffer' ? Buffer.from(value.data, 'base64') : value),
    );
    const before = Buffer.concat([Buffer.of(RAW), Buffer.from(JSON.stringify(states))]);
    expect(before.length).to.be.greaterThan(stored?.length ?? 0);
    await keys.commit({ keys: [{ type: 'sender-key', id: KEY_ID, value: before }] });
    expect(await read(first)).to.equal('first');
  });

  it('stay small for their author, and for readers who skipped many messages', async () => {
    const ofAuthor = new MemoryLinkKeys();
    const sealed = await written(
      Array.from({ length: MANY }, (_, n) => `text ${n}`),
      ofAuthor,
    );
    expect(await sizeIn(ofAuthor)).to.be.lessThan(SMALL);
    expect(await read(sealed.at(-1))).to.equal(`text ${MANY - 1}`);
    expect(await sizeIn(keys)).to.be.lessThan(LARGE);
    // the library skips every second key: of 200 kept keys half are of messages
    expect(await read(sealed.at(-100))).to.equal(`text ${MANY - 100}`);
    const error = await read(sealed.at(-200)).catch((reason: Error) => reason.message);
    expect(error).to.contain('old counter');
  });

  it('decrypt overtaken messages even after their author has sent the key again several times', async () => {
    const ofAuthor = new MemoryLinkKeys();
    const [first, second, third, fourth] = await written(TEXTS, ofAuthor);
    expect(await read(fourth)).to.equal('fourth');
    const { senderKeyDistributionMessage } = await library(ofAuthor).encryptGroupMessage({
      ...{ group: GROUP, meId: AUTHOR, data: Buffer.from('fifth') },
    });
    const item = { groupId: GROUP, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage };
    for (let copy = 0; copy < 5; copy++)
      await wrapped(keys).processSenderKeyDistributionMessage({ authorJid: AUTHOR, item });
    expect(await read(second)).to.equal('second');
    expect(await read(first)).to.equal('first');
    expect(await read(third)).to.equal('third');
  });

  it('are replaced when their author makes a new one', async () => {
    const [first] = await written();
    expect(await read(first)).to.equal('first');
    const { ciphertext, senderKeyDistributionMessage } = await library(
      new MemoryLinkKeys(),
    ).encryptGroupMessage({ group: GROUP, meId: AUTHOR, data: Buffer.from('with a new key') });
    const item = { groupId: GROUP, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage };
    await wrapped(keys).processSenderKeyDistributionMessage({ authorJid: AUTHOR, item });
    expect(await read(ciphertext)).to.equal('with a new key');
  });
});
