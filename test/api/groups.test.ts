import { expect } from 'chai';
import sharp from 'sharp';
import type { PhoneView, StanzaJson } from '../../src/client/sandbox/client.js';
import type { CreatedGroup, GroupDetail } from '../../src/contract/index.js';
import { ALICE, BOB, CAROL, lidOf, linkSession, startWorld, type World } from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const NO_GROUP = '120363999999999999@g.us';

describe('the group routes over the wire', () => {
  let world: World;
  let people: Record<'alice' | 'bob' | 'carol' | 'dave', PhoneView>;

  before(async () => {
    world = await startWorld();
    for (const person of [BOB, CAROL, DAVE]) await world.phones.addPhone(person);
    await linkSession(world, 'acme');
    const [alice, bob, carol, dave] = await Promise.all(
      [ALICE, BOB, CAROL, DAVE].map(({ number }) => world.phones.phone(number)),
    );
    if (!alice || !bob || !carol || !dave) throw new Error('unreachable: all have phones');
    people = { alice, bob, carol, dave };
  });
  after(() => world.stop());
  afterEach(async () => {
    await world.phones.update(DAVE.number, { onlyAdminsAddMe: false });
    await world.phones.clearFaults();
  });

  const ask = (path: string, body: object) => world.api.post(path, { clientId: 'acme', ...body });
  async function created(participants: string[], subject = 'Friends'): Promise<CreatedGroup> {
    const { status, body } = await ask('/create-group', { subject, participants });
    expect(status, JSON.stringify(body)).to.equal(200);
    const { group }: { group?: CreatedGroup } = body;
    if (!group) throw new Error('no group in the answer');
    return group;
  }
  async function detailOf(groupJid: string): Promise<GroupDetail> {
    const { group }: { group?: GroupDetail } = (await ask('/get-group-participants', { groupJid })).body;
    if (!group) throw new Error('no group in the answer');
    return group;
  }
  const groupsOf = async ({ number }: { number: string }) =>
    (await world.phones.groups.of(number)).map(({ jid }) => jid);
  const membersAtNetwork = async (jid: string) =>
    (await world.phones.groups.get(jid)).participants.map(({ number }) => number);

  it('refuse a text that the network would not accept because of its emoji, and name the rule', async () => {
    const family = '👨‍👩‍👧‍👦';
    const group = await created([CAROL.number], family.repeat(9));
    expect((await world.phones.groups.get(group.jid)).subject).to.equal(family.repeat(9));
    const rule = (field: string, most: number, found: number) =>
      `${field} must not have more than ${most} UTF-16 code units, the bound of WhatsApp, and has ${found}: an emoji has up to 16`;
    const refused: [string, object, string][] = [
      [
        '/create-group',
        { subject: family.repeat(25), participants: [CAROL.number] },
        rule('subject', 100, 275),
      ],
      ['/update-group', { groupJid: group.jid, subject: family.repeat(10) }, rule('subject', 100, 110)],
      [
        '/update-group',
        { groupJid: group.jid, description: family.repeat(200) },
        rule('description', 2048, 2200),
      ],
    ];
    for (const [path, body, error] of refused) {
      const answer = await ask(path, body);
      expect([answer.status, answer.headers.get('x-sn-error'), answer.body]).to.deep.equal([
        400,
        'invalid_request',
        { error },
      ]);
    }
  });

  it('create a group of people named in any form, and describe it', async () => {
    const { alice, bob, carol, dave } = people;
    const written = `+1 (555) 000-${CAROL.number.slice(-4)}`;
    const group = await created([lidOf(bob), written, dave.jid], 'Weekend plans');
    const described = { jid: group.jid, name: 'Weekend plans', topic: '', addressingMode: 'lid' };
    expect(group).to.deep.include({
      ...described,
      participants: 4,
      isAnnounce: false,
      isLocked: false,
      ownerJid: alice.lid,
      refused: [],
    });
    const members = [alice, bob, carol, dave].map(({ lid, number }) => ({
      jid: lid,
      phone: number,
      isAdmin: number === ALICE.number,
      isSuperAdmin: number === ALICE.number,
    }));
    const detail = await detailOf(group.jid);
    expect(detail).to.deep.include(described);
    for (const shown of [group.members, detail.members]) {
      expect(shown.map(({ displayName, ...member }) => member)).to.have.deep.members(members);
    }
    expect(await membersAtNetwork(group.jid)).to.have.members(members.map(({ phone }) => phone));
  });

  it('report who could not be added to a new group', async () => {
    await world.phones.update(DAVE.number, { onlyAdminsAddMe: true });
    const group = await created([BOB.number, DAVE.number]);
    expect(group).to.deep.include({ participants: 2, refused: [{ jid: people.dave.lid, error: 403 }] });
    expect(group.members.map(({ phone }) => phone)).to.have.members([ALICE.number, BOB.number]);
    expect((await detailOf(group.jid)).members).to.have.length(2);
  });

  it('list groups with their flags', async () => {
    const subject = 'Flags';
    const { jid } = await world.phones.groups.create(BOB.number, { subject, participants: [ALICE.number] });
    await world.phones.groups.update(BOB.number, jid, { announce: true, locked: true });
    const { groups } = (await ask('/get-groups', {})).body;
    expect(groups).to.deep.include({
      jid,
      name: subject,
      participants: 2,
      isAnnounce: true,
      isLocked: true,
      ownerJid: people.bob.lid,
    });
    await world.phones.groups.update(BOB.number, jid, { description: 'All about flags' });
    expect(await detailOf(jid)).to.include({ topic: 'All about flags' });
  });

  it('return the result of a change for each member', async () => {
    const { bob, carol, dave } = people;
    const { jid: groupJid } = await created([BOB.number]);
    await world.phones.update(DAVE.number, { onlyAdminsAddMe: true });
    const change = async (action: string, ...participants: string[]) =>
      (await ask('/update-group-members', { groupJid, action, participants })).body;
    expect(await change('add', CAROL.number, lidOf(dave), bob.jid)).to.deep.equal({
      members: [
        { jid: carol.lid, error: 0 },
        { jid: dave.lid, error: 403 },
        { jid: bob.lid, error: 409 },
      ],
    });
    expect(await change('promote', BOB.number)).to.deep.equal({ members: [{ jid: bob.lid, error: 0 }] });
    const isAdmin = async () =>
      (await detailOf(groupJid)).members.find(({ jid }) => jid === bob.lid)?.isAdmin;
    expect(await isAdmin()).to.equal(true);
    await change('demote', BOB.number);
    expect(await isAdmin()).to.equal(false);
    await change('remove', BOB.number);
    expect(await membersAtNetwork(groupJid)).to.have.members([ALICE.number, CAROL.number]);
    expect(await change('remove', BOB.number)).to.deep.equal({ members: [{ jid: bob.lid, error: 404 }] });
  });

  it('return an invite link that works until it is reset', async () => {
    const { jid: groupJid } = await created([BOB.number]);
    const link = async (more: object = {}) =>
      String((await ask('/group-invite-link', { groupJid, ...more })).body.link);
    const first = await link();
    expect(first).to.match(/^https:\/\/chat\.whatsapp\.com\/[\w-]+$/);
    expect(await link({ reset: false })).to.equal(first);
    const codeOf = (url: string) => url.split('/').at(-1) ?? '';
    await world.phones.groups.join(CAROL.number, codeOf(first));
    const second = await link({ reset: true });
    expect(second).not.to.equal(first);
    const refused = await world.phones.groups.join(DAVE.number, codeOf(first)).catch((error) => error);
    expect(refused).to.be.instanceOf(Error);
    await world.phones.groups.join(DAVE.number, codeOf(second));
    expect(await membersAtNetwork(groupJid)).to.have.length(4);
  });

  it('change subject, description and every setting of a group', async () => {
    const { jid: groupJid } = await created([BOB.number]);
    const settings = {
      announce: true,
      locked: true,
      membersAdd: true,
      joinApproval: true,
    };
    const all = { subject: 'Renamed', description: 'All about it', disappearingSeconds: 86_400, ...settings };
    const { status, body } = await ask('/update-group', { groupJid, ...all });
    expect([status, body]).to.deep.equal([200, { ok: true }]);
    const { disappearingSeconds: ephemeral, ...shown } = all;
    expect(await world.phones.groups.get(groupJid)).to.include({ ...shown, ephemeral });
    expect(await detailOf(groupJid)).to.include({
      name: 'Renamed',
      topic: 'All about it',
      isAnnounce: true,
      isLocked: true,
      membersAdd: true,
      joinApproval: true,
      disappearingSeconds: 86_400,
    });
    await ask('/update-group', { groupJid, description: '', locked: false });
    expect(await detailOf(groupJid)).to.include({ topic: '', isLocked: false, isAnnounce: true });
    expect((await ask('/disappearing-messages', { to: groupJid, seconds: 0 })).body).to.deep.equal({
      ok: true,
    });
    expect(await detailOf(groupJid)).to.include({ disappearingSeconds: 0 });
  });

  it('set and remove the picture of a group', async () => {
    const { jid: groupJid } = await created([BOB.number]);
    const file = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const form = new FormData();
    form.set('clientId', 'acme');
    form.set('groupJid', groupJid);
    form.set('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'red.png');
    const { status, body } = await world.api.upload('/set-group-picture?clientId=acme', form);
    expect([status, body]).to.deep.equal([200, { ok: true }]);
    expect((await world.phones.groups.get(groupJid)).pictureId).not.to.equal('');
    await ask('/set-group-picture', { groupJid, downloadUrl: '' });
    expect((await world.phones.groups.get(groupJid)).pictureId).to.equal('');
  });

  it('list, approve and reject people who ask to join', async () => {
    const { carol, dave } = people;
    const { jid: groupJid } = await created([BOB.number]);
    await ask('/update-group', { groupJid, joinApproval: true });
    const code = await world.phones.groups.invite(ALICE.number, groupJid);
    for (const { number } of [CAROL, DAVE]) await world.phones.groups.join(number, code);
    const { requests } = (await ask('/group-requests', { groupJid })).body;
    if (!Array.isArray(requests)) throw new Error('requests are a list');
    expect(requests.map(({ jid, phone }) => [jid, phone])).to.deep.equal([
      [carol.lid, CAROL.number],
      [dave.lid, DAVE.number],
    ]);
    expect(Date.parse(requests[0].requestedAt)).to.be.closeTo(Date.now(), 60_000);
    const answer = async (action: string, ...participants: string[]) =>
      (await ask('/update-group-requests', { groupJid, action, participants })).body.members;
    expect(await answer('approve', CAROL.number, BOB.number)).to.deep.equal([
      { jid: carol.lid, error: 0 },
      { jid: people.bob.lid, error: 409 },
    ]);
    expect(await answer('reject', dave.lid)).to.deep.equal([{ jid: dave.lid, error: 0 }]);
    expect((await ask('/group-requests', { groupJid })).body).to.deep.equal({ requests: [] });
    expect(await membersAtNetwork(groupJid)).to.have.members([ALICE.number, BOB.number, CAROL.number]);
  });

  it('show the group of an invite, and join it by link or code', async () => {
    const { bob } = people;
    const { jid } = await world.phones.groups.create(BOB.number, {
      subject: 'His',
      participants: [CAROL.number],
    });
    await world.phones.groups.update(BOB.number, jid, { description: 'Open to all' });
    const code = await world.phones.groups.invite(BOB.number, jid);
    const invite = `https://chat.whatsapp.com/${code}`;
    const { createdAt, ...group }: Record<string, unknown> = Object(
      (await ask('/group-invite-info', { invite })).body.group,
    );
    expect(group).to.deep.equal({
      ...{ jid, name: 'His', topic: 'Open to all', ownerJid: bob.lid },
      ...{ participants: 2, joinApproval: false },
    });
    expect(Date.parse(String(createdAt))).to.be.closeTo(Date.now(), 60_000);
    expect((await ask('/join-group', { invite })).body).to.deep.equal({ groupJid: jid, joined: true });
    expect(await membersAtNetwork(jid)).to.contain(ALICE.number);
    const again = await ask('/join-group', { invite: code });
    expect([again.status, again.body.error]).to.deep.equal([409, again.body.error]);
    expect(again.body.error).to.match(/a member already/);
  });

  it('ask to join where an admin has to approve', async () => {
    const { jid } = await world.phones.groups.create(BOB.number, { subject: 'Closed', participants: [] });
    await world.phones.groups.update(BOB.number, jid, { joinApproval: true });
    const invite = await world.phones.groups.invite(BOB.number, jid);
    expect((await ask('/group-invite-info', { invite })).body).to.have.nested.property(
      'group.joinApproval',
      true,
    );
    expect((await ask('/join-group', { invite })).body).to.deep.equal({ groupJid: jid, joined: false });
    expect(await membersAtNetwork(jid)).to.deep.equal([BOB.number]);
    expect((await world.phones.groups.get(jid)).requests.map(({ number }) => number)).to.deep.equal([
      ALICE.number,
    ]);
    await world.phones.groups.answerRequests(BOB.number, jid, 'approve', [ALICE.number]);
    expect(await groupsOf(ALICE)).to.contain(jid);
  });

  it('report an unknown invite with 404, and an invalid one with 400', async () => {
    for (const path of ['/join-group', '/group-invite-info']) {
      const unknown = await ask(path, { invite: 'AbCdEfGhIjKlMnOpQrStUv' });
      expect([unknown.status, path]).to.deep.equal([404, path]);
      expect(unknown.body.error).to.match(/invite is wrong, or was revoked/);
      const none = await ask(path, { invite: 'https://example.com/AbCdEfGhIjKlMnOpQrStUv' });
      expect([none.status, path]).to.deep.equal([400, path]);
      expect(none.body.error).to.match(/invite must be a link/);
    }
  });

  it('leave a group, which continues for the other members', async () => {
    const { jid: groupJid } = await created([BOB.number]);
    expect((await ask('/leave-group', { groupJid })).body).to.deep.equal({ ok: true });
    expect(await membersAtNetwork(groupJid)).to.deep.equal([BOB.number]);
    const { groups } = (await ask('/get-groups', {})).body;
    expect(JSON.stringify(groups)).to.contain('g.us').and.not.to.contain(groupJid);
    const send = await ask('/send-message', { to: groupJid, body: 'still here?' });
    expect(send.status).to.equal(502);
    expect((await ask('/get-group-participants', { groupJid })).status).to.equal(403);
    expect((await ask('/leave-group', { groupJid })).status).to.equal(403);
  });

  const UNKNOWN = '+15559999999';
  const badPeople: [string, () => string[], RegExp][] = [
    [
      'who is not on the network',
      () => [BOB.number, UNKNOWN],
      /participants: \+15559999999.*not on the network/,
    ],
    ['whose LID is unknown', () => ['90000000099999'], /participants: 90000000099999.*knows no LID/],
    ['who is a group', () => [NO_GROUP], /is a group, not a person/],
    ['who is named twice in different forms', () => [BOB.number, people.bob.lid], /not name a person twice/],
    ['whose address is invalid', () => ['Bob'], /participants: Bob must be a LID/],
  ];
  for (const [what, participants, message] of badPeople) {
    it(`refuse the whole request for a person ${what}`, async () => {
      const before = await groupsOf(ALICE);
      const made = await ask('/create-group', { subject: 'Never', participants: participants() });
      expect(made.status).to.equal(400);
      expect(made.body.error).to.match(message);
      expect(await groupsOf(ALICE)).to.deep.equal(before);

      const { jid: groupJid } = await created([CAROL.number]);
      const change = { groupJid, action: 'add', participants: participants() };
      const changed = await ask('/update-group-members', change);
      expect(changed.status).to.equal(400);
      expect(changed.body.error).to.match(message);
      expect(await membersAtNetwork(groupJid)).to.have.members([ALICE.number, CAROL.number]);
    });
  }

  it('create a group with the tokens of the people who trust the number', async () => {
    const done = new AbortController();
    const stream = await world.phones.stanzas.watch(done.signal);
    const find = async (matches: (stanza: StanzaJson) => boolean) => {
      for (;;) {
        const { done: hasEnded, value } = await stream.next();
        if (hasEnded) throw new Error('the stream has ended');
        if (value.direction === 'in' && matches(value.stanza)) return value.stanza;
      }
    };
    await world.phones.giveToken(CAROL.number, { to: ALICE.number });
    await find(({ tag, attrs }) => tag === 'ack' && attrs?.type === 'privacy_token');
    const [creation] = await Promise.all([
      find(({ children }) => children?.[0]?.tag === 'create'),
      created([CAROL.number, DAVE.number], 'Trusted'),
    ]);
    done.abort();
    const members = creation.children?.[0]?.children?.map(({ attrs, children }) => [
      attrs?.jid,
      children?.map(({ tag, base64 = '' }) => [tag, base64 !== '']),
    ]);
    expect(members).to.deep.equal([
      [people.carol.lid, [['privacy', true]]],
      [people.dave.lid, undefined],
    ]);
  });

  it('refuse the linked number itself as a member to change', async () => {
    const participants = [BOB.number, ALICE.number];
    const { status, body } = await ask('/create-group', { subject: 'Mine', participants });
    expect(status).to.equal(400);
    expect(body.error).to.match(/must not name the linked number/);
  });

  it('name the missing right in the error, and change nothing', async () => {
    const participants = [ALICE.number, CAROL.number];
    const { jid: groupJid } = await world.phones.groups.create(BOB.number, { subject: 'His', participants });
    const forbidden = [
      await ask('/update-group-members', { groupJid, action: 'remove', participants: [CAROL.number] }),
      await ask('/update-group-members', { groupJid, action: 'promote', participants: [ALICE.number] }),
      await ask('/group-invite-link', { groupJid }),
      await ask('/group-invite-link', { groupJid, reset: true }),
      await ask('/update-group', { groupJid, subject: 'Mine', announce: true }),
      await ask('/group-requests', { groupJid }),
      await ask('/update-group-requests', { groupJid, action: 'approve', participants: [CAROL.number] }),
    ];
    for (const { status, body } of forbidden) {
      expect(status).to.equal(403);
      expect(body.error).to.match(/no admin/);
    }
    const group = await world.phones.groups.get(groupJid);
    expect(group.participants).to.have.length(3);
    // everybody may change the subject of a group that is not locked
    expect(group).to.include({ subject: 'Mine', announce: false });
    const named = await ask('/update-group', { groupJid, joinApproval: true });
    expect(named.body.error).to.match(/^joinApproval: /);
  });

  it('report an unknown group, an unknown session, and a missing connection', async () => {
    const calls: [string, object][] = [
      ['/get-group-participants', { groupJid: NO_GROUP }],
      ['/update-group-members', { groupJid: NO_GROUP, action: 'add', participants: [BOB.number] }],
      ['/group-invite-link', { groupJid: NO_GROUP }],
      ['/leave-group', { groupJid: NO_GROUP }],
    ];
    for (const [path, body] of calls) {
      const answer = await ask(path, body);
      expect(answer.status, path).to.equal(404);
      expect(answer.body.error).to.match(/no such group/);
    }
    await world.api.post('/start?clientId=unpaired');
    for (const clientId of ['nobody', 'unpaired']) {
      for (const [path, body] of [...calls, ['/get-groups', {}] as const]) {
        expect((await world.api.post(path, { clientId, ...body })).status, path).to.equal(404);
      }
    }
  });
});
