import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import AdoptBaileys from '../../../commands/adopt/baileys.js';
import AdoptJson from '../../../commands/adopt/json.js';
import SessionsImport from '../../../commands/sessions/import.js';
import { objectLines } from '../../../src/terminal/cli/adopt/bounds.js';
import { readJsonLines } from '../../../src/terminal/cli/adopt/json-lines.js';
import { writeSealed } from '../../../src/terminal/cli/adopt/sealed-file.js';
import { runCommand } from '../../support/run-command.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

const MIB = 1024 * 1024;
const HOSTILE_BYTES = 300 * MIB;
const PASSPHRASE = 'a passphrase of the tests';
const CREDENTIALS = JSON.stringify({ account: {}, me: { id: '15550000001:3@s.whatsapp.net' } });

describe('hostile import files', () => {
  let folder: TempDir;
  let passphraseFile: string;
  before(async () => {
    folder = await makeTempDir();
    passphraseFile = join(folder.path, 'passphrase');
    await writeFile(passphraseFile, PASSPHRASE);
  });
  after(() => folder.remove());

  /** A file of so many bytes that begins so; the rest takes no place on the disk. */
  async function longFile(name: string, begin: Uint8Array, bytes = HOSTILE_BYTES): Promise<string> {
    const path = join(folder.path, name);
    const file = await open(path, 'w');
    await file.write(begin);
    await file.truncate(bytes);
    await file.close();
    return path;
  }

  const importFile = (path: string) =>
    runCommand(SessionsImport, [path, '--dry-run', '--passphrase-file', passphraseFile]);

  /** A stream without an end, and how much of it was read. */
  function endless(begin: string) {
    const given = { bytes: 0 };
    const chunks = async function* () {
      yield Buffer.from(begin);
      for (;;) {
        given.bytes += MIB;
        yield Buffer.alloc(MIB, 'a');
      }
    };
    return { given, input: Readable.from(chunks(), { objectMode: true, highWaterMark: 1 }) };
  }

  it('are refused at their first byte when they are not JSON objects', async () => {
    const { given, input } = endless('a');
    const error = await readJsonLines(input).catch((reason: unknown) => reason);
    expect(error).to.be.an('error').with.property('message', 'line 1: is not a JSON object');
    expect(given.bytes).to.be.below(4 * MIB);
    const { exitCode, stderr } = await runCommand(AdoptJson, [
      await longFile('zeros.jsonl', Buffer.from('\n \n')),
    ]);
    expect([exitCode, stderr]).to.deep.equal([2, 'error: line 3: is not a JSON object\n']);
  });

  it('are refused as soon as a line is too long for the state of a number', async () => {
    const { given, input } = endless('\n{"clientId": "');
    const lines = objectLines(input, 16 * MIB);
    const error = await lines.next().catch((reason: unknown) => reason);
    expect(error).to.be.an('error').with.property('message', 'line 2: has more than 16 MB');
    expect(given.bytes).to.be.below(20 * MIB);
  });

  it('are refused before their text is read when they are not exports, have another passphrase, or are too long', async () => {
    const sealed = join(folder.path, 'right.session');
    await writeSealed(sealed, '{}', PASSPHRASE);
    const other = join(folder.path, 'other.session');
    await writeSealed(other, '{}', 'another passphrase');
    const begin = async (path: string) => (await open(path, 'r')).read(Buffer.alloc(79), 0, 79, 0);
    const heads = { right: (await begin(sealed)).buffer, other: (await begin(other)).buffer };
    const greedy = Buffer.from(heads.right);
    // log2 of scrypt's N: 16 TB of memory
    greedy.writeUInt8(34, 10);
    const cases: [string, Uint8Array, number, RegExp][] = [
      ['zeros', Buffer.alloc(1), HOSTILE_BYTES, /zeros is no file of switchboard sessions export/],
      ['long', heads.right, HOSTILE_BYTES, /long has 314572800 bytes; a session has 268435456 at most/],
      ['foreign', heads.other, 200 * MIB, /the passphrase is not that of .*foreign/],
      ['greedy', greedy, 200, /greedy is damaged/],
      ['cut', heads.right.subarray(0, 40), 40, /cut is damaged/],
    ];
    for (const [name, head, bytes, message] of cases) {
      const before = process.memoryUsage().arrayBuffers;
      const { exitCode, stderr } = await importFile(await longFile(name, head, bytes));
      expect(exitCode, name).to.not.equal(0);
      expect(stderr).to.match(message);
      expect(process.memoryUsage().arrayBuffers - before, name).to.be.below(32 * MIB);
    }
  });

  it('are reported by name when a key or the credentials of a folder are too long', async () => {
    await writeFile(join(folder.path, 'creds.json'), CREDENTIALS);
    await longFile('session-1.0.json', Buffer.from('{"a":"'));
    const { stdout } = await runCommand(AdoptBaileys, [folder.path, '--dry-run']);
    expect(stdout).to.contain('cannot be read: session-1.0.json');
    await longFile('creds.json', Buffer.from('{"a":"'));
    const refused = await runCommand(AdoptBaileys, [folder.path, '--dry-run']);
    expect(refused.stdout).to.contain('its credentials cannot be read');
  });
});
