import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { ALICE, BOB, CAROL, linkSession, startWorld, TOKEN, type World } from '../support/world.js';

const POLICIES = `
mode: enforce
policies:
  slow:
    messagesPerHour: 1
    deny: ['${CAROL.number}']
sessions: { acme: slow }
`;

describe('a message that the policy refuses, in the terminal', () => {
  let world: World;
  let folder: TempDir;
  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICIES);
    world = await startWorld({ settings: { allowPrivateUrls: true, policy } });
    for (const person of [BOB, CAROL]) await world.phones.addPhone(person);
    await linkSession(world, 'acme', ALICE);
    expect((await send(BOB.number)).exitCode).to.equal(0);
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const send = (to: string, ...argv: string[]) =>
    runCli(['send', 'text', 'acme', to, 'hello', ...argv], {
      env: { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN },
    });

  it('has an exit code of its own, and the refusal of the API with --json', async () => {
    const { exitCode, stdout } = await send(BOB.number, '--json');
    const report = JSON.parse(stdout);
    expect({ exitCode, code: report.code, reported: report.exitCode }).to.deep.equal({
      ...{ exitCode: 8, code: 'policy_refused', reported: 8 },
    });
    const body = { clientId: 'acme', to: BOB.number, body: 'hello' };
    const { policy } = (await world.api.post('/send-message', body)).body;
    expect(report.policy).to.have.keys(Object.keys(Object(policy)));
    expect(report.policy).to.include({ rule: 'messagesPerHour', limit: 1, left: 0 });
    expect(report.policy.allowedAt).to.equal(Object(policy).allowedAt);
  });

  it('suggests --when-allowed, which works, if a time will allow the message', async () => {
    const { exitCode, stderr } = await send(BOB.number);
    expect(exitCode).to.equal(8);
    expect(stderr).to.contain(
      '→ keep the message, and send it when the policy allows it: add --when-allowed',
    );
    const kept = await send(BOB.number, '--when-allowed');
    expect({ exitCode: kept.exitCode, stdout: kept.stdout }).to.deep.include({ exitCode: 0 });
    expect(kept.stdout).to.match(/^held /);
  });

  it('does not suggest --when-allowed for a file of this machine, which the daemon cannot fetch later', async () => {
    const path = join(folder.path, 'a.txt');
    await writeFile(path, 'a text');
    const env = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    const { exitCode, stderr } = await runCli(['send', 'media', 'acme', BOB.number, path], { env });
    expect(exitCode).to.equal(8);
    expect(stderr).to.contain('the policy').and.not.to.contain('--when-allowed');
  });

  it('does not suggest --when-allowed if no time will allow the message', async () => {
    const { exitCode, stderr } = await send(CAROL.number);
    expect(exitCode).to.equal(8);
    expect(stderr).to.contain('switchboard policy explain');
    expect(stderr).to.not.contain('--when-allowed');
  });
});
