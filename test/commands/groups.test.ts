import { expect } from 'chai';
import ContactsPicture from '../../commands/contacts/picture.js';
import ContactsShow from '../../commands/contacts/show.js';
import GroupsCreate from '../../commands/groups/create.js';
import GroupsInvite from '../../commands/groups/invite.js';
import GroupsLeave from '../../commands/groups/leave.js';
import GroupsList from '../../commands/groups/list.js';
import GroupsMembers from '../../commands/groups/members.js';
import GroupsShow from '../../commands/groups/show.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

const GROUP = '120363040000000001@g.us';
const BOB = '+15550000002';
const ROW = {
  jid: GROUP,
  name: 'Team',
  participants: 2,
  isAnnounce: true,
  isLocked: false,
  ownerJid: '90000000000001@lid',
};
const MEMBERS = [
  {
    jid: '90000000000001@lid',
    phone: '+15550000001',
    isAdmin: true,
    isSuperAdmin: true,
    displayName: 'Alice',
  },
  { jid: '90000000000002@lid', phone: BOB, isAdmin: true, isSuperAdmin: false, displayName: 'Bob' },
];

describe('the commands about groups and people', () => {
  let daemon: FakeDaemon;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
  });
  afterEach(() => daemon.stop());

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]): Promise<CommandResult> =>
    runCommand(command, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' });

  it('print the answer as JSON on request', async () => {
    const detail = { jid: GROUP, name: 'Team', topic: '', addressingMode: 'lid', members: MEMBERS };
    daemon.on('POST /get-groups', { groups: [ROW] });
    daemon.on('POST /get-group-participants', { group: detail });
    daemon.on('POST /create-group', { group: { ...ROW, ...detail, refused: [] } });
    daemon.on('POST /update-group-members', { members: [{ jid: 'x', error: 0 }] });
    daemon.on('POST /group-invite-link', { link: 'https://chat.whatsapp.com/Code' });
    daemon.on('POST /leave-group', { ok: true });
    daemon.on('POST /user-info', { jid: 'x', username: 'bob' });
    daemon.on('GET /profile-picture', { jid: 'x', url: '', reason: 'hidden' });
    const commands: [Parameters<typeof runCommand>[0], ...string[]][] = [
      [GroupsList],
      [GroupsShow, GROUP],
      [GroupsCreate, 'Team', '--member', BOB],
      [GroupsMembers, GROUP, 'add', BOB],
      [GroupsInvite, GROUP],
      [GroupsLeave, GROUP, '--yes'],
      [ContactsShow, BOB],
      [ContactsPicture, BOB],
    ];
    for (const [command, ...argv] of commands) {
      const { stdout, exitCode } = await run(command, 'acme', ...argv, '--json');
      expect(exitCode, stdout).to.equal(0);
      expect(JSON.parse(stdout)).to.be.an.instanceOf(Object);
    }
  });

  it('list groups by name', async () => {
    daemon.on('POST /get-groups', { groups: [ROW, { ...ROW, name: 'Alpha', isAnnounce: false }] });
    const { stdout, exitCode } = await run(GroupsList, 'acme');
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/NAME +JID +MEMBERS +SETTINGS\nAlpha .* 2\nTeam .* 2 +announce\n$/);
    expect(JSON.parse((await run(GroupsList, 'acme', '--json')).stdout)).to.have.length(2);
  });

  it('report that there are no groups', async () => {
    daemon.on('POST /get-groups', { groups: [] });
    expect(await run(GroupsList, 'acme')).to.deep.include({ stdout: '', stderr: 'no groups\n' });
  });

  it('show a group with the roles of its members', async () => {
    const detail = { jid: GROUP, name: 'Team', topic: '', addressingMode: 'lid', members: MEMBERS };
    daemon.on('POST /get-group-participants', { group: detail });
    const { stdout } = await run(GroupsShow, 'acme', GROUP);
    expect(stdout).to.match(/Alice .* owner\nBob .* admin\n$/);
  });

  it('create a group', async () => {
    daemon.on('POST /create-group', { group: { ...ROW, members: MEMBERS, refused: [] } });
    const { stdout } = await run(GroupsCreate, 'acme', 'Team', '--member', BOB, '--member', '90000000000003');
    expect(stdout).to.equal(`created ${GROUP} with 2 members\n`);
    const participants = [BOB, '90000000000003'];
    expect(daemon.calls.at(-1)?.body).to.deep.equal({ clientId: 'acme', subject: 'Team', participants });
  });

  it('create a group, and exit with 7 when a person could not be added', async () => {
    const refused = [{ jid: '90000000000003@lid', error: 403 }];
    daemon.on('POST /create-group', { group: { ...ROW, members: MEMBERS, refused } });
    const { stdout, exitCode } = await run(GroupsCreate, 'acme', 'Team', '--member', BOB);
    expect(exitCode).to.equal(7);
    expect(stdout).to.match(/^created .*\n90000000000003@lid lets only admins of their choice add them/);
  });

  it('change members, and exit with 7 when the network refused one', async () => {
    const members = [
      { jid: '90000000000002@lid', error: 0 },
      { jid: '90000000000003@lid', error: 403 },
    ];
    daemon.on('POST /update-group-members', { members });
    const { stdout, exitCode } = await run(GroupsMembers, 'acme', GROUP, 'add', BOB, '90000000000003');
    expect(exitCode).to.equal(7);
    expect(stdout).to.equal(
      '90000000000002@lid done\n90000000000003@lid lets only admins of their choice add them: send the invite link instead\n',
    );
    const participants = [BOB, '90000000000003'];
    const change = { clientId: 'acme', groupJid: GROUP, action: 'add', participants };
    expect(daemon.calls.at(-1)?.body).to.deep.equal(change);
  });

  it('exit with 0 when every member was changed', async () => {
    daemon.on('POST /update-group-members', { members: [{ jid: 'x', error: 0 }] });
    expect((await run(GroupsMembers, 'acme', GROUP, 'demote', BOB, '--json')).exitCode).to.equal(0);
  });

  it('show and renew the invite link', async () => {
    daemon.on('POST /group-invite-link', { link: 'https://chat.whatsapp.com/Code' });
    expect((await run(GroupsInvite, 'acme', GROUP)).stdout).to.equal('https://chat.whatsapp.com/Code\n');
    await run(GroupsInvite, 'acme', GROUP, '--reset');
    expect(daemon.calls.map(({ body }) => body.reset)).to.deep.equal([false, true]);
  });

  it('leave a group only after a confirmation', async () => {
    daemon.on('POST /leave-group', { ok: true });
    expect((await run(GroupsLeave, 'acme', GROUP, '--json')).exitCode).to.equal(2);
    expect(daemon.calls).to.deep.equal([]);
    expect((await run(GroupsLeave, 'acme', GROUP, '--yes')).stdout).to.equal(`acme has left ${GROUP}\n`);
  });

  it('show a person', async () => {
    const person = { jid: '90000000000002@lid', username: 'bob', status: 'Hi', pictureId: '', devices: 2 };
    const contact = { phone: '+15550000002', displayName: 'Bob' };
    daemon.on('POST /user-info', { ...person, verifiedName: 'Bob Inc', ...contact });
    const { stdout } = await run(ContactsShow, 'acme', BOB);
    expect(daemon.calls.at(-1)?.body).to.include({ withContact: true });
    expect(stdout).to.match(/name +Bob\nnumber +\+15550000002\njid/);
    expect(stdout).to.match(/username +bob\nbusiness +Bob Inc\n/);
  });

  it('show the link of a picture, or the reason why it is missing', async () => {
    const picture = {
      jid: 'x',
      url: 'https://pps.whatsapp.net/1',
      storedUrl: 'http://127.0.0.1:3000/media/1/p.jpg',
    };
    daemon.on('GET /profile-picture', picture);
    expect((await run(ContactsPicture, 'acme', BOB, '--full')).stdout).to.equal(`${picture.storedUrl}\n`);
    expect(daemon.calls.at(-1)?.query.toString()).to.equal(
      'clientId=acme&jid=%2B15550000002&preview=false&refresh=false',
    );
    daemon.on('GET /profile-picture', { jid: 'x', url: '', reason: 'hidden' });
    expect(await run(ContactsPicture, 'acme', BOB)).to.include({ stdout: '', stderr: 'hidden\n' });
  });
});
