import { expect } from 'chai';
import FailedList from '../../commands/failed/list.js';
import FailedResend from '../../commands/failed/resend.js';
import FailedShow from '../../commands/failed/show.js';
import { answering } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

describe('failed deliveries as commands', () => {
  let world: World;

  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]) =>
    runCommand(command, argv, { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  const ids = async (...argv: string[]): Promise<string[]> => {
    const { failedDeliveries } = JSON.parse((await run(FailedList, '--json', ...argv)).stdout);
    return failedDeliveries.map(({ id }: { id: string }) => id);
  };
  /** Events of these types that the receiver refused, in a session of its own; their ids, the oldest first. */
  const refused = async (clientId: string, ...types: string[]): Promise<string[]> => {
    world.receiver.respond(answering(410));
    await world.api.post(`/start?clientId=${clientId}`, {
      webhookUrl: `${world.receiver.url}/hook?key=secret`,
    });
    const failed: string[] = [];
    for (const type of types) {
      const { body } = await world.api.post('/send-test-event', { clientId, type });
      failed.push(String(body.deliveryId));
    }
    return failed;
  };

  it('are listed, the newest first, a page at a time', async () => {
    const failed = await refused('list', 'text', 'image', 'text');
    const { stdout } = await run(FailedList, '--session', 'list');
    expect(stdout).to.match(/ID +FAILED AT +SESSION +TYPE +ATTEMPTS +REASON/);
    expect(stdout).to.match(new RegExp(`${failed[1]} .* list +image +1 +answered 410`));
    expect(await ids('--session', 'list')).to.deep.equal([...failed].reverse());
    const first = await run(FailedList, '--session', 'list', '--limit', '2');
    expect(first.stdout).to.contain(failed[2]).and.not.contain(failed[0]);
    const [, place = ''] = /--before (\S+)/.exec(first.stderr) ?? [];
    expect(await ids('--session', 'list', '--before', place)).to.deep.equal([failed[0]]);
  });

  it('say so when there are none', async () => {
    const { stdout, stderr } = await run(FailedList, '--session', 'nobody');
    expect({ stdout, stderr }).to.deep.equal({ stdout: '', stderr: 'nothing failed\n' });
  });

  it('are shown with their event, without the key of a file and without what is secret in the address', async () => {
    const [id = ''] = await refused('show', 'image');
    const { stdout } = await run(FailedShow, id);
    expect(stdout)
      .to.match(/^reason +answered 410$/m)
      .and.match(/^attempts +1$/m);
    expect(stdout)
      .to.match(/^ {2}"type": "image",$/m)
      .and.contain('"mediaKey": "(not shown)"');
    expect(stdout).not.to.contain('key=secret');
    const { event } = JSON.parse((await run(FailedShow, id, '--json')).stdout);
    expect(event.media.download.mediaKey).to.match(/^[A-Za-z0-9+/]{43}=$/);
    const unknown = await run(FailedShow, '01ARZ3NDEKTSV4RRFFQ69G5FAV');
    expect(unknown.exitCode).to.equal(5);
    expect(unknown.stderr).to.contain('failed list');
  });

  it('are sent again by their ids, and what fails again stays', async () => {
    const [first = '', second = ''] = await refused('byid', 'text', 'text');
    world.receiver.respond((response, { headers }) => {
      response.writeHead(headers['x-sn-delivery'] === first ? 200 : 404).end();
    });
    const { stdout, stderr, exitCode } = await run(FailedResend, first, first, second, '01ARZ');
    expect(exitCode).to.equal(1);
    expect(stdout).to.contain(`${first} ✓ delivered`).and.contain(`${second} ✗ answered 404`);
    expect(stdout).to.match(/01ARZ ✗ there is no failed delivery/);
    expect(stderr).to.equal('delivered 1, failed 2, not tried 0\n');
    expect(await ids('--session', 'byid')).to.deep.equal([second]);
  });

  it('are all sent again, or those of a type, the oldest first', async () => {
    const [text = '', image = '', other = ''] = await refused('all', 'text', 'image', 'text');
    world.receiver.respond(answering(200));
    const before = world.receiver.calls.length;
    const some = await run(FailedResend, '--all', '--session', 'all', '--type', 'text', '--json');
    expect(some.exitCode).to.equal(0);
    expect(JSON.parse(some.stdout)).to.deep.include({ delivered: 2, failed: 0, untried: 0 });
    const sent = world.receiver.calls.slice(before).map(({ headers }) => headers['x-sn-delivery']);
    expect(sent).to.have.members([text, other]);
    expect(await ids('--session', 'all')).to.deep.equal([image]);
    const rest = await run(FailedResend, '--all', '--session', 'all');
    expect(rest.stdout).to.equal(`1/1 ${image} ✓ delivered\n`);
    expect((await run(FailedResend, '--all', '--session', 'all')).stderr).to.equal('nothing to send again\n');
  });

  it('are left alone when the daemon refuses the first', async () => {
    const failed = await refused('mute', 'text', 'text', 'text', 'text', 'text', 'text');
    await world.api.post('/set-webhook', { clientId: 'mute', webhookUrl: '' });
    const { exitCode, stderr } = await run(FailedResend, '--all', '--session', 'mute');
    expect(exitCode).to.equal(6);
    expect(stderr).to.match(/delivered 0, failed 4, not tried 2\n[\s\S]*has no webhookUrl/);
    expect(await ids('--session', 'mute')).to.have.members(failed);
  });

  it('are named one way or the other', async () => {
    const refusedArgv = [[], ['--all'], ['01ARZ', '--all', '--session', 'all']];
    for (const argv of refusedArgv) expect((await run(FailedResend, ...argv)).exitCode).to.equal(2);
  });
});
