import { expect } from 'chai';
import { pino } from 'pino';
import { LIMITS } from '../../src/domain/limits.js';
import { OncePerKey } from '../../src/services/send/idempotency.js';
import type { SendAnswer } from '../../src/services/services.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

describe('idempotency keys', () => {
  let folder: TempDir;
  let store: Store;
  let clock: ManualClock;
  let once: OncePerKey;
  let sends: { messageId: string; again: boolean }[];
  beforeEach(async () => {
    folder = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    clock = new ManualClock();
    sends = [];
    once = newRun();
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
  });

  /** The same store after a restart. */
  const newRun = () => new OncePerKey(store.idempotency, clock, pino({ level: 'silent' }));
  const request = (body: string) => ({
    clientId: 'acme',
    key: 'k',
    route: '/send-message',
    payload: { body },
  });
  const send = async (messageId: string, again: boolean): Promise<SendAnswer> => {
    sends.push({ messageId, again });
    return { status: 'sent', messageId };
  };
  const crash = async (messageId: string, again: boolean): Promise<SendAnswer> => {
    sends.push({ messageId, again });
    throw new Error('the daemon died here');
  };

  it('go on under the same message id after a crash between send and answer', async () => {
    await once.run(request('x'), crash).catch(() => undefined);
    await clock.advance(60_000);
    const answer = await newRun().run(request('x'), send);
    expect(sends.map(({ again }) => again)).to.deep.equal([false, true]);
    expect(sends[0]?.messageId).to.equal(answer.messageId);
  });

  it('give the first answer again, whatever the order of the fields', async () => {
    const first = await once.run({ ...request('x'), payload: { a: 1, b: 2 } }, send);
    expect(await newRun().run({ ...request('x'), payload: { b: 2, a: 1 } }, send)).to.deep.equal(first);
    expect(sends).to.have.length(1);
  });

  it('stand for another message when they are used anew after their time', async () => {
    const first = await once.run(request('x'), send);
    await clock.advance(LIMITS.idempotencyTtlMs + 1);
    await store.idempotency.prune(clock.now() - LIMITS.idempotencyTtlMs);
    const second = await once.run(request('y'), send);
    expect(second.messageId).not.to.equal(first.messageId);
    expect(sends.map(({ again }) => again)).to.deep.equal([false, false]);
  });
});
