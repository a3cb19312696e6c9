import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Verify from '../../../commands/verify.js';
import { verifyWebhook } from '../../../src/client/verify.js';
import { parseObject } from '../../../src/domain/json.js';
import { type Respond, startReceiver, type TestReceiver } from '../../support/receiver.js';
import { runCommand } from '../../support/run-command.js';
import { makeTempDir } from '../../support/temp-dir.js';

const TOKEN = 'token-of-the-receiver';

/** As the documentation shows it. */
const careful: Respond = (response, { headers, body }) => {
  try {
    verifyWebhook({ headers, body, token: TOKEN });
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
};

describe('the check of a receiver', () => {
  let receiver: TestReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  const verify = (...argv: string[]) => runCommand(Verify, [receiver.url, '--token', TOKEN, ...argv]);
  /** The lines with a mark, but for the one that tells of the pace of this machine. */
  const markedIn = (stdout: string, mark: string) =>
    stdout.split('\n').filter((line) => line.startsWith(mark) && !line.includes('answers each call within'));

  it('finds no problem in the receiver of the documentation', async () => {
    receiver.respond(careful);
    const { stdout, exitCode } = await verify();
    expect(markedIn(stdout, '✗')).to.deep.equal([]);
    expect(markedIn(stdout, '!')).to.deep.equal([]);
    expect(stdout).to.match(/\n\d+ passed, \d+ warnings, 0 failed\n$/);
    expect(stdout).to.contain('✓ takes a vote in a poll (vote_update)\n');
    expect(exitCode).to.equal(0);
  });

  it('fails a receiver that accepts every call, and warns of one that checks the token alone', async () => {
    const careless = await verify();
    expect(markedIn(careless.stdout, '✗')).to.deep.equal([
      '✗ refuses a call without a token: it answered 200',
      '✗ refuses a call with another token: it answered 200',
    ]);
    expect(careless.exitCode).to.equal(1);
    receiver.respond((response, { headers }) =>
      response.writeHead(headers.authorization === `Bearer ${TOKEN}` ? 200 : 401).end(),
    );
    const trusting = await verify();
    expect(markedIn(trusting.stdout, '!')).to.deep.equal([
      '! refuses a body that does not fit its signature: it answered 200',
      '! refuses a call that was signed ten minutes ago: it answered 200',
    ]);
    expect(trusting.exitCode).to.equal(0);
  });

  it('fails a receiver that refuses unknown types and fields, repeated events and long texts', async () => {
    const seen = new Set<unknown>();
    receiver.respond((response, call, index) => {
      const { type, messageId, fieldOfNextYear } = parseObject(call.body) ?? {};
      const refused =
        type === 'a_type_of_next_year' || fieldOfNextYear || seen.has(messageId) || call.body.length > 60_000;
      if (messageId) seen.add(messageId);
      if (refused) response.writeHead(400).end();
      else careful(response, call, index);
    });
    const { stdout, exitCode } = await verify();
    expect(markedIn(stdout, '✗')).to.include.members([
      '✗ takes the same event twice: it answered 400',
      '✗ takes a type of event that it does not know: it answered 400',
      '✗ takes fields that it does not know: it answered 400',
      '✗ takes a text of 65,536 characters: it answered 400',
    ]);
    expect(exitCode).to.equal(1);
  });

  it('writes a JUnit report, and JSON', async () => {
    const folder = await makeTempDir();
    try {
      const path = join(folder.path, 'report.xml');
      const { stdout } = await verify('--junit', path, '--json');
      const { passed, checks } = JSON.parse(stdout);
      expect(passed).to.equal(false);
      const report = await readFile(path, 'utf8');
      expect(report).to.contain(`<testsuite name="receiver" tests="${checks.length}" failures="2">`);
      expect(report).to.match(
        /name="refuses a call without a token" time="[\d.]+"><failure>it answered 200</,
      );
    } finally {
      await folder.remove();
    }
  });

  it('reports that no receiver answers, before any check', async () => {
    const { stderr, exitCode } = await runCommand(Verify, ['http://127.0.0.1:1/', '--token', TOKEN]);
    expect(stderr).to.contain('cannot be reached');
    expect(exitCode).to.equal(3);
  });
});
