import { join } from 'node:path';
import { expect } from 'chai';
import AdoptBaileys from '../../commands/adopt/baileys.js';
import { systemClock, wait } from '../../src/domain/clock.js';
import { FileDevice } from '../support/file-device.js';
import { eventOf, eventsOf } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { BOB, startWorld, TOKEN, WEBHOOK_TOKEN, type World } from '../support/world.js';

const NUMBERS = 50;
const LINKED_AT_ONCE = 3;
/** Milliseconds between two messages: 20 a second. */
const PAUSE_MS = 50;

describe('fifty numbers that another program has linked', function () {
  this.timeout(300_000);
  let world: World;
  let folder: TempDir;
  const numbers = Array.from({ length: NUMBERS }, (_, index) => `+1556000${String(index).padStart(4, '0')}`);
  before(async () => {
    world = await startWorld();
    folder = await makeTempDir();
    await world.phones.addPhone(BOB);
    const waiting = [...numbers];
    const work = async () => {
      for (let number = waiting.pop(); number; number = waiting.pop()) await linkElsewhere(number);
    };
    await Promise.all(Array.from({ length: LINKED_AT_ONCE }, work));
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  /** Links a number with the other program, which reads one message and ends. */
  const linkElsewhere = async (number: string) => {
    const device = await FileDevice.link(world, join(folder.path, `bot-${number}`), { number, name: number });
    await world.phones.write(BOB.number, { to: number, text: 'before' });
    await device.read('before');
    await device.stop();
  };

  it('are adopted while twenty messages a second arrive, and no message is lost or duplicated', async () => {
    const webhook = ['--webhook', world.receiver.url, '--webhook-token', WEBHOOK_TOKEN];
    const env = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    let isDone = false;
    const adoption = runCommand(
      AdoptBaileys,
      [folder.path, '--force', '--watch', '0', '--json', ...webhook],
      env,
    ).finally(() => {
      isDone = true;
    });
    const sent: string[] = [];
    for (let index = 0; !isDone || index < 2 * NUMBERS; index++) {
      const to = numbers[index % NUMBERS] ?? '';
      sent.push((await world.phones.write(BOB.number, { to, text: `message ${index}` })).messageId);
      await wait(systemClock, PAUSE_MS);
    }
    const { stdout, exitCode } = await adoption;
    const outcomes = JSON.parse(stdout).numbers.map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).to.deep.equal(numbers.map(() => 'connected'));
    expect(exitCode).to.equal(0);
    for (const messageId of sent) await eventOf(world.receiver, messageId);
    // what came twice would have come before these
    for (const to of numbers) {
      const last = await world.phones.write(BOB.number, { to, text: 'last' });
      await eventOf(world.receiver, last.messageId);
    }
    const times = sent.map((messageId) => eventsOf(world.receiver, messageId).length);
    expect(times.filter((count) => count !== 1)).to.deep.equal([]);
  });
});
