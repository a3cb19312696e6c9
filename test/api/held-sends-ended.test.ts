import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { FaultKind } from '../../src/client/sandbox/client.js';
import { DAY_MS } from '../../src/domain/clock.js';
import { ShiftedClock } from '../support/manual-clock.js';
import { extraEventOf } from '../support/receiver.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { BOB, CAROL, linkSession, reached, startWorld, type World } from '../support/world.js';

const POLICY = 'policies: { slow: { mode: enforce, newChatsPerDay: 1 } }\ndefault: slow\n';

describe('a held message of a session that has ended', () => {
  let world: World;
  let folder: TempDir;
  const clock = new ShiftedClock();

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICY);
    world = await startWorld({ settings: { policy }, overrides: { clock } });
    for (const person of [BOB, CAROL]) await world.phones.addPhone(person);
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const send = (clientId: string, person: typeof BOB) =>
    world.api.post('/send-message', { clientId, to: person.number, body: 'hello', whenAllowed: true });

  const ends: { status: string; fault: FaultKind; code: string; number: string }[] = [
    { status: 'banned', fault: 'ban', code: 'session_suspended', number: '+15550000011' },
    { status: 'replaced', fault: 'conflict', code: 'session_suspended', number: '+15550000012' },
    { status: 'logged_out', fault: 'logout', code: 'session_unpaired', number: '+15550000013' },
  ];
  for (const { status, fault, code, number } of ends) {
    const clientId = status.replace('_', '');
    it(`is given up with message_status, and not deleted silently, when the session stays ${status}`, async () => {
      await linkSession(world, clientId, { number, name: clientId }, { extraEvents: ['message_status'] });
      expect((await send(clientId, BOB)).status).to.equal(200);
      const { messageId } = (await send(clientId, CAROL)).body;
      await world.phones.fault({ kind: fault, number, count: 1 });
      await reached(world, clientId, status);
      await world.stopDaemon();
      // longer than messages are kept
      clock.shift(15 * DAY_MS);
      await world.startDaemon();
      const failed = await extraEventOf(
        world.receiver,
        'message_status',
        (event) => event.clientId === clientId && event.status === 'failed',
      );
      expect(failed).to.include({ messageId, code });
      await until('an empty outbox', async () => {
        const { body } = await world.api.get(`/outbox?clientId=${clientId}`);
        return Array.isArray(body.messages) && body.messages.length === 0;
      });
    });
  }
});
