import { expect } from 'chai';
import { BOB_LID } from './support/played-network.js';
import { closeServers, createTestServer, type TestServer } from './support/test-server.js';

const GROUP = '120363040000000001@g.us';
const BOB = '+15550000002';

describe('the group routes', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
    await server.connect();
  });
  afterEach(closeServers);

  /** What the network was asked to change. */
  const done = () => server.network.asked.filter(([call]) => String(call).startsWith('groups.'));

  it('answer as the contract says', async () => {
    const participants = [BOB];
    const ask = async (path: string, body: object) =>
      (await server.post(path, { clientId: 'acme', ...body })).body;
    expect((await ask('/get-groups', {})).groups)
      .to.have.length(1)
      .and.have.nested.property('[0].jid', GROUP);
    const detail = (await ask('/get-group-participants', { groupJid: GROUP })).group;
    expect(detail).to.include({ jid: GROUP }).and.have.property('members').that.has.length(1);
    const created = await ask('/create-group', { subject: 'Weekend', participants });
    expect(created.group).to.include({ jid: GROUP, name: 'Weekend', participants: 1 });
    const change = { groupJid: GROUP, action: 'add', participants };
    expect(await ask('/update-group-members', change)).to.deep.equal({
      members: [{ jid: BOB_LID, error: 403 }],
    });
    const link = 'https://chat.whatsapp.com/Code';
    expect(await ask('/group-invite-link', { groupJid: GROUP })).to.deep.equal({ link });
    expect(await ask('/group-invite-link', { groupJid: GROUP, reset: true })).to.deep.equal({ link });
    expect(await ask('/leave-group', { groupJid: GROUP })).to.deep.equal({ ok: true });
    expect(done()).to.deep.equal([
      ['groups.create', 'Weekend', [BOB_LID]],
      ['groups.changeMembers', GROUP, 'add', [BOB_LID]],
      ['groups.inviteCode', GROUP, false],
      ['groups.inviteCode', GROUP, true],
      ['groups.leave', GROUP],
    ]);
  });

  const mistakes: [string, string, object, RegExp][] = [
    [
      'a subject of 26 characters',
      '/create-group',
      { subject: 'x'.repeat(26), participants: [BOB] },
      /subject/,
    ],
    ['a missing subject', '/create-group', { participants: [BOB] }, /subject/],
    ['a blank subject', '/create-group', { subject: '  ', participants: [BOB] }, /subject/],
    ['missing participants', '/create-group', { subject: 'x' }, /participants/],
    ['an empty list of participants', '/create-group', { subject: 'x', participants: [] }, /participants/],
    ['a repeated participant', '/create-group', { subject: 'x', participants: [BOB, BOB] }, /participants/],
    ['a person in place of a group', '/leave-group', { groupJid: '15550000002@s.whatsapp.net' }, /groupJid/],
    ['a missing group', '/group-invite-link', {}, /groupJid/],
    ['a group id with too many digits', '/leave-group', { groupJid: `${'1'.repeat(200)}@g.us` }, /groupJid/],
    [
      'an unknown action',
      '/update-group-members',
      { groupJid: GROUP, action: 'ban', participants: [BOB] },
      /action/,
    ],
    ['a reset that is not a boolean', '/group-invite-link', { groupJid: GROUP, reset: 'yes' }, /reset/],
  ];
  for (const [what, path, body, field] of mistakes) {
    it(`refuse ${what}`, async () => {
      const answer = await server.post(path, { clientId: 'acme', ...body });
      expect(answer.status).to.equal(400);
      expect(answer.body.error).to.match(field);
      expect(done()).to.deep.equal([]);
    });
  }

  it('answer 404 for an unknown session', async () => {
    expect((await server.post('/get-groups', { clientId: 'nobody' })).status).to.equal(404);
  });
});
