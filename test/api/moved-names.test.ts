import { join } from 'node:path';
import { expect } from 'chai';
import SessionsExport from '../../commands/sessions/export.js';
import SessionsImport from '../../commands/sessions/import.js';
import StatusesDelete from '../../commands/statuses/delete.js';
import { EXTRA_EVENT_TYPES } from '../../src/contract/events/catalogue.js';
import { eventOf } from '../support/receiver.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, linkSession, startWorld, TOKEN, type World } from '../support/world.js';

const PASSPHRASE = 'four words and a comma,';
/** Changes for which the network keeps a snapshot. */
const RENAMED = 250;

describe('sessions import', () => {
  let old: World;
  let fresh: World;
  let folder: TempDir;
  /** Id of a status from before the move. */
  let posted = '';

  before(async () => {
    folder = await makeTempDir();
    // with MongoDB the session moves there from SQLite
    old = await startWorld({ settings: { store: 'sqlite' } });
    fresh = await startWorld({ settings: { network: `sandbox+${old.sandbox.wsUrl}` } });
    for (const person of [ALICE, BOB, CAROL]) await old.phones.addPhone(person);
    const names = Array.from({ length: RENAMED }, (_, index) => `Bob ${index}`);
    await old.phones.people.nameContacts(
      ALICE.number,
      [...names, 'Bob Builder'].map((name) => ({ number: BOB.number, name })),
    );
    await old.phones.updateChat(ALICE.number, CAROL.number, { muted: true });
    await linkSession(old, 'acme', ALICE, { extraEvents: [...EXTRA_EVENT_TYPES] });
    await old.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    await until('the address book', async () => (await post(old, 'a try')).status === 200);
    const changed = await old.api.post('/pin-chat', { clientId: 'acme', to: BOB.number });
    expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    posted = String((await post(old, 'before the move')).body.messageId);
    await old.phones.waitForStatus(BOB.number, ({ messageId }) => messageId === posted);
    await old.api.post('/set-webhook', { clientId: 'acme', webhookUrl: fresh.receiver.url });
    const file = join(folder.path, 'acme.session');
    await run(old, SessionsExport, ['acme', '--yes', '--file', file]);
    await run(fresh, SessionsImport, [file, '--watch', '0']);
  });
  after(async () => {
    await fresh.stop();
    await old.stop();
    await folder.remove();
  });

  async function run(
    world: World,
    command: Parameters<typeof runCommand>[0],
    argv: string[],
  ): Promise<CommandResult> {
    const result = await runCommand(command, argv, { SWITCHBOARD_PASSPHRASE: PASSPHRASE, ...at(world) });
    expect(result.exitCode, result.stderr).to.equal(0);
    return result;
  }
  const at = (world: World) => ({ SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  const post = (world: World, body: string) => world.api.post('/post-status', { clientId: 'acme', body });
  const roomWith = async (name: string) => {
    const { body } = await fresh.api.get('/chatrooms?clientId=acme');
    const { chatRooms }: { chatRooms: Record<string, unknown>[] } = JSON.parse(JSON.stringify(body));
    return chatRooms.find((room) => room.name === name);
  };

  it("gets the phone's address book again, so that a status reaches the contacts", async () => {
    let answer = await post(fresh, 'after the move');
    await until('the address book', async () => {
      if (answer.status !== 200) answer = await post(fresh, 'after the move');
      return answer.status === 200;
    });
    expect(answer.body.people).to.equal(1);
    await old.phones.waitForStatus(BOB.number, ({ messageId }) => messageId === answer.body.messageId);
    const { body } = await fresh.api.post('/user-info', {
      clientId: 'acme',
      jid: BOB.number,
      withContact: true,
    });
    expect(body).to.include({ displayName: 'Bob Builder' });
  });

  it('deletes a status that it posted itself, and says where one from before the move is deleted', async () => {
    const earlier = await runCommand(StatusesDelete, ['acme', posted, '--yes'], at(fresh));
    expect(earlier.exitCode).to.equal(5);
    expect(earlier.stderr).to.contain('Delete others on the phone.');
    const own = String((await post(fresh, 'a mistake')).body.messageId);
    await run(fresh, StatusesDelete, ['acme', own, '--yes']);
    await old.phones.waitForStatus(BOB.number, (status) => status.messageId === own && status.revoked);
  });

  it('gets the settings of chats again, also those that the session has set itself, without an event', async () => {
    const types = new Set(fresh.receiver.calls.map(({ headers }) => headers['x-sn-event']));
    // the state of the account is announced by every new owner
    expect([...types]).to.have.members(['session_status', 'account_status', 'status_post', 'message_status']);
    for (const person of [BOB, CAROL]) {
      const { messageId } = await old.phones.write(person.number, { to: ALICE.number, text: 'first' });
      await eventOf(fresh.receiver, messageId);
    }
    expect(await roomWith('Bob Builder')).to.include({ pinned: true });
    expect(await roomWith('Carol'))
      .to.have.property('mutedUntil')
      .that.is.a('string');
    const unpinned = await fresh.api.post('/pin-chat', { clientId: 'acme', to: BOB.number, pinned: false });
    expect(unpinned.status, JSON.stringify(unpinned.body)).to.equal(200);
    await old.phones.waitForChat(ALICE.number, (chat) => chat.with === BOB.number && !chat.pinned);
    expect((await old.phones.chats(ALICE.number)).rejected).to.equal(0);
  });
});
