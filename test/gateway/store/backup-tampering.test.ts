import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { isGatewayError } from '../../../src/domain/errors.js';
import { checkBackup } from '../../../src/gateway/store/backup/restore.js';
import { openBackup, openRestore, openStore } from '../../../src/gateway/store/open.js';
import { message, newFile, roomUpdate, session } from '../../contracts/store/harness.js';
import { mutated } from '../../fuzz/support/mutations.js';
import { FuzzRun, Prng } from '../../fuzz/support/values.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { MONGODB_URL, makeTestDatabase, type TestDatabase } from './support/mongo.js';

const MIB = 1024 * 1024;
/** Of each damage. */
const RUN = new FuzzRun(40);
const KEY = Buffer.alloc(32, 7);
const MAGIC_BYTES = 8;
const HEAD_BYTES = 5;
/** A restore that refuses a backup may hold one frame. */
const MAX_GROWTH = 80 * MIB;

/** Damage that a person could do to a backup, of which the bytes of another one of the same store are known too. */
const DAMAGES: Readonly<Record<string, (prng: Prng, whole: Buffer, other: Buffer) => Buffer>> = {
  'flipped bits': (prng, whole) => {
    const changed = Buffer.from(whole);
    for (let flips = prng.int(1, 3); flips > 0; flips--) {
      const at = prng.int(0, whole.length - 1);
      changed.writeUInt8(changed.readUInt8(at) ^ (1 << prng.int(0, 7)), at);
    }
    return changed;
  },
  'a cut': (prng, whole) => whole.subarray(0, prng.int(0, whole.length - 1)),
  'bytes after its end': (prng, whole) => Buffer.concat([whole, prng.bytes(prng.int(1, 50))]),
  'two backups in one': (_prng, whole, other) => Buffer.concat([whole, other]),
  'the end of another backup': (prng, whole, other) => {
    const at = prng.int(1, Math.min(whole.length, other.length) - 1);
    return Buffer.concat([whole.subarray(0, at), other.subarray(at)]);
  },
  'frames of another backup': (prng, whole, other) => {
    const [ours, theirs] = [framesOf(whole), framesOf(other)];
    ours[prng.int(0, ours.length - 1)] = prng.pick(theirs);
    return joined(ours);
  },
  'its frames in another order': (prng, whole) => {
    const frames = framesOf(whole);
    const [frame] = frames.splice(prng.int(0, frames.length - 1), 1);
    frames.splice(prng.int(0, frames.length), 0, ...(frame ? [frame] : []));
    return joined(frames);
  },
  'a frame twice': (prng, whole) => {
    const frames = framesOf(whole);
    const at = prng.int(0, frames.length - 1);
    return joined(frames.toSpliced(at, 0, ...frames.slice(at, at + 1)));
  },
  'a frame less': (prng, whole) => {
    const frames = framesOf(whole);
    return joined(frames.toSpliced(prng.int(0, frames.length - 1), 1));
  },
  'a frame that claims to be long': (prng, whole) => {
    const frames = framesOf(whole);
    const frame = Buffer.from(prng.pick(frames));
    frame.writeUInt32BE(prng.pick([0xffff_ffff, 0x7fff_ffff, 64 * MIB + 1, 64 * MIB, 1_000_000]), 1);
    return joined([...frames.slice(0, prng.int(0, 3)), frame]);
  },
  'anything else': (prng, whole) => mutated(prng, whole),
};

describe('a backup that was tampered with', function () {
  this.timeout(120_000);
  let folder: TempDir;
  let whole: Buffer;
  let other: Buffer;
  let database: TestDatabase | undefined;
  /** The empty store into which each is restored. */
  let target: { url: string; dataDir: string; encryptionKey: Buffer };

  before(async () => {
    folder = await makeTempDir();
    database = MONGODB_URL ? makeTestDatabase(MONGODB_URL) : undefined;
    target = { url: database?.url ?? 'sqlite', dataDir: join(folder.path, 'target'), encryptionKey: KEY };
    const source = { url: 'sqlite', dataDir: join(folder.path, 'source'), encryptionKey: KEY };
    [whole, other] = [await backedUp(source, 'acme'), await backedUp(source, 'other')];
  });
  after(async () => {
    await database?.drop();
    await folder.remove();
  });

  /** A backup of the store with one session more. */
  async function backedUp(place: typeof target, clientId: string): Promise<Buffer> {
    const store = await openStore(place);
    await store.sessions.create(session(clientId));
    for (const id of ['M1', 'M2']) await store.history.record(clientId, roomUpdate(), message(id));
    await store.files.write(
      newFile({ clientId, messageId: 'M1' }),
      Readable.from([Buffer.alloc(5_000, clientId)]),
    );
    await store.close();
    const path = join(folder.path, `${clientId}.backup`);
    const backup = await openBackup(place);
    const about = {
      createdAt: '2026-11-24T10:00:00Z',
      release: '2026-11',
      counted: { add: () => undefined },
    };
    await backup.write({ ...about, path });
    await backup.close();
    return readFile(path);
  }

  /** What a restore says of these bytes; empty if it takes them. */
  async function refusal(bytes: Buffer, encryptionKey = KEY): Promise<string> {
    const path = join(folder.path, 'changed.backup');
    await writeFile(path, bytes);
    const restored = async () => {
      const backup = await checkBackup(path, encryptionKey);
      const store = await openRestore(target);
      await store.restore(backup, { add: () => undefined }).finally(() => store.close());
    };
    return restored().then(
      () => '',
      (error: unknown) => {
        if (!isGatewayError(error)) throw error;
        return `${error.code}: ${error.message}`;
      },
    );
  }

  const isUntouched = async () => {
    const error = await openBackup(target).catch((reason: unknown) => reason);
    return isGatewayError(error, 'store_missing');
  };

  for (const [what, change] of Object.entries(DAMAGES)) {
    it(`is refused with ${what}, with a reason, and nothing is written`, async () => {
      RUN.announce(what);
      const before = process.memoryUsage().arrayBuffers;
      for (let index = 0; index < RUN.cases; index++) {
        const bytes = change(Prng.forCase(RUN.seed, index), whole, other);
        // a change may happen to change nothing
        if (bytes.equals(whole) || bytes.equals(other)) continue;
        const found = await refusal(bytes);
        expect(found, `case ${index}`).to.match(
          /^(backup_damaged: The backup cannot be used: .+ Nothing was changed\.|encryption_key_wrong: .+|store_too_new: .+)$/s,
        );
        expect(process.memoryUsage().arrayBuffers - before).to.be.below(MAX_GROWTH);
      }
      expect(await isUntouched()).to.equal(true);
    });
  }

  it('is refused with any other key, and taken with its own', async () => {
    for (let index = 0; index < 20; index++) {
      const key = Buffer.from(KEY);
      const prng = Prng.forCase(RUN.seed, index);
      key.writeUInt8(key.readUInt8(index) ^ (1 << prng.int(0, 7)), index);
      expect(await refusal(whole, key)).to.match(/^encryption_key_wrong: /);
    }
    expect(await isUntouched()).to.equal(true);
    expect(await refusal(whole)).to.equal('');
  });
});

/** The frames of a backup, each with its head. */
function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = MAGIC_BYTES; at < bytes.length; ) {
    const end = at + HEAD_BYTES + bytes.readUInt32BE(at + 1);
    frames.push(bytes.subarray(at, end));
    at = end;
  }
  return frames;
}

function joined(frames: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('SWBACKUP'), ...frames]);
}
