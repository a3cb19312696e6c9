import SwaggerParser from '@apidevtools/swagger-parser';
import { expect } from 'chai';
import { type SandboxErrorCode, SandboxRefusal } from '../../src/client/sandbox/client.js';
import { exampleOf } from '../../src/contract/print/openapi.js';
import { sandboxDocument } from '../../src/contract/print/sandbox-openapi.js';
import { writeContents } from '../../src/contract/sandbox/contents.js';
import { SANDBOX_ERRORS } from '../../src/contract/sandbox/errors.js';
import { CONTROL_CONTRACT } from '../../src/contract/sandbox/index.js';
import { type ControlOperation, controlErrorsOf, statusOf } from '../../src/contract/sandbox/operation.js';
import { systemClock } from '../../src/domain/clock.js';
import { VirtualClock } from '../../src/domain/virtual-clock.js';
import { createServer } from '../../src/sandbox/control/server.js';
import { MediaFolder } from '../../src/sandbox/media/store.js';
import { Pairing } from '../../src/sandbox/pairing/pairing.js';
import { WRITERS } from '../../src/sandbox/phone/content/index.js';
import { Phones } from '../../src/sandbox/phone/phone.js';
import { Network } from '../../src/sandbox/state/network.js';
import { forgetfulState } from '../../src/sandbox/store/state.js';
import { createAuthority } from '../../src/sandbox/wire/keys.js';
import { ALICE, BOB, CAROL, SandboxWorld } from './support/world.js';

const UNUSED = '+15559999999';
/** Routes of WhatsApp's own hosts, which are no part of the control API. */
const OF_WHATSAPP = /^\/(mms|newsletter|v|sw\.js)/;

const OPERATIONS = CONTROL_CONTRACT.flatMap(({ part = '', operations }) =>
  Object.entries(operations).map(([id, operation]) => [part ? `${part}.${id}` : id, operation] as const),
);

describe("the contract of the sandbox's control API", () => {
  it('has a route for each operation, and an operation for each route', () => {
    const network = new Network({
      authority: createAuthority(),
      state: forgetfulState,
      media: new MediaFolder(),
      clock: new VirtualClock(systemClock),
    });
    const parts = { network, phones: new Phones(network), pairing: new Pairing(network), checkAnswers: true };
    const server = createServer(parts, { host: '127.0.0.1', port: 0 });
    const routes = server.table().filter(({ path }) => !OF_WHATSAPP.test(path));
    expect(routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`)).to.have.members(
      OPERATIONS.map(([, { method, path }]) => `${method} ${path}`),
    );
  });

  it('is printed as a valid OpenAPI document with one id for each operation', async () => {
    const document = await SwaggerParser.validate(JSON.parse(JSON.stringify(sandboxDocument('2026-11'))));
    const ids = Object.values(document.paths ?? {}).flatMap((methods) =>
      Object.values(methods ?? {}).map((operation) => Object(operation).operationId),
    );
    expect(ids).to.have.members(OPERATIONS.map(([name]) => name));
  });

  it('has a schema for each content that people can write', () => {
    expect(Object.keys(writeContents)).to.have.members(WRITERS.map(({ key }) => key));
  });

  for (const [name, { body, answer, example }] of OPERATIONS) {
    it(`shows examples of ${name} that its schemas accept`, () => {
      if (answer !== undefined && typeof answer !== 'string') {
        const { error } = answer.validate(example, { convert: false, presence: 'required' });
        expect(error?.message).to.equal(undefined);
      }
      const shown = body && exampleOf(body);
      if (shown) expect(body.validate(shown).error?.message).to.equal(undefined);
    });
  }
});

/** A request of an operation; the example of the contract and Alice's number unless named. */
interface Request {
  params?: Record<string, string>;
  body?: object;
  /** The refusal that is expected, where an answer takes more than one request. */
  code?: SandboxErrorCode;
}

describe("Sandbox: each operation's answer", () => {
  const world = new SandboxWorld();
  let requests: Record<string, Request>;

  before(async () => {
    await world.open();
    await world.linked(ALICE);
    const { messageId } = await world.client.write(ALICE, { to: BOB, text: 'Hello' });
    const { messageId: withFile } = await world.client.write(ALICE, {
      to: BOB,
      media: { kind: 'image', mimeType: 'image/png', size: 10 },
    });
    const { messageId: status } = await world.client.postStatus(ALICE, 'Gone soon');
    const { messageId: ofBob } = await world.client.write(BOB, { to: ALICE, text: 'Hi' });
    await world.client.waitForMessage(ALICE, (message) => message.messageId === ofBob);
    const group = { subject: 'Lake', participants: [BOB] };
    const { jid } = await world.client.groups.create(ALICE, group);
    const { jid: left } = await world.client.groups.create(ALICE, group);
    const { jid: closed } = await world.client.groups.create(CAROL, { subject: 'Closed' });
    await world.client.groups.update(CAROL, closed, { joinApproval: true });
    await world.client.groups.join(ALICE, await world.client.groups.invite(CAROL, closed));
    const code = await world.client.groups.invite(
      BOB,
      (await world.client.groups.create(BOB, { subject: 'Open' })).jid,
    );
    const { jid: channel } = await world.client.channels.create(ALICE, { name: 'Lake news' });
    const { jid: channelOfBob } = await world.client.channels.create(BOB, { name: 'River news' });
    const inChannel = { params: { channel } };
    for (const text of ['First', 'Second']) await world.client.channels.post(ALICE, channel, { text });
    await world.client.channels.follow(BOB, channel);
    const { callId } = await world.client.activity.ring(ALICE, { to: BOB });
    requests = {
      addPhone: { body: { number: '+15550000009', name: 'Dora' } },
      changeNumber: { params: { number: '+15550000008' }, body: { number: '+15550000007' } },
      reinstall: { params: { number: CAROL } },
      update: { body: { name: 'Alice A.' } },
      scan: { code: 'qr_invalid' },
      enterCode: { code: 'code_not_awaited' },
      refreshPairings: { body: {} },
      assertPasskey: { body: { options: {} }, code: 'passkey_missing' },
      confirmPasskey: { code: 'passkey_not_asked' },
      declinePasskey: { code: 'passkey_not_asked' },
      'people.changePrivacy': { body: { settings: { last: 'contacts' } } },
      'people.nameContacts': { body: { contacts: [{ number: BOB, name: 'Bob Berg' }] } },
      write: { body: { to: BOB, text: 'Once more' } },
      repeat: { params: { messageId } },
      deleteStatus: { params: { messageId: status } },
      read: { body: { messageIds: [ofBob] } },
      forgetFile: { params: { messageId: withFile } },
      forgetMessage: { params: { messageId } },
      unlink: { params: { number: CAROL } },
      giveToken: { body: { to: BOB } },
      updateChat: { params: { partner: BOB }, body: { archived: true } },
      'groups.create': { body: group },
      'groups.get': { params: { jid } },
      'groups.update': { params: { jid }, body: { subject: 'River' } },
      'groups.participants': { params: { jid }, body: { action: 'promote', participants: [BOB] } },
      'groups.answerRequests': {
        params: { number: CAROL, jid: closed },
        body: { action: 'approve', participants: [ALICE] },
      },
      'groups.leave': { params: { jid: left } },
      'groups.inviteCode': { params: { jid } },
      'groups.renewInvite': { params: { jid } },
      'groups.join': { body: { code } },
      'channels.get': inChannel,
      'channels.follow': { params: { channel: channelOfBob } },
      'channels.unfollow': { params: { number: CAROL, channel } },
      'channels.changeAdmins': inChannel,
      'channels.post': { ...inChannel, body: { text: 'News' } },
      'channels.posts': inChannel,
      'channels.editPost': { params: { channel, serverId: '2' } },
      'channels.deletePost': { params: { channel, serverId: '1' } },
      'channels.react': { params: { channel, serverId: '2' } },
      'activity.act': { params: { number: BOB, callId }, body: { action: 'accept' } },
      fault: { body: { kind: 'drop-acks', number: BOB } },
      advanceClock: { body: { advance: '1s' } },
      expireMedia: { body: {} },
    };
    await world.client.addPhone({ number: '+15550000008' });
  });
  after(() => world.close());

  for (const [name, operation] of OPERATIONS.filter(([, { answer }]) => answer !== 'text/event-stream')) {
    it(`of ${name} is as the contract says`, async () => {
      const { code, ...given } = requests[name] ?? {};
      const { status, answer } = await call(operation, given);
      if (code) {
        expect(answer).to.have.all.keys('error', 'code').and.have.property('code', code);
        expect(controlErrorsOf(operation)).to.include(code);
        expect(status).to.equal(SANDBOX_ERRORS[code]);
        return;
      }
      expect(status, JSON.stringify(answer)).to.equal(statusOf(operation));
      if (operation.answer === undefined) expect(answer).to.equal(undefined);
      else if (typeof operation.answer !== 'string') {
        const { error } = operation.answer.validate(answer, { convert: false });
        expect(error?.message).to.equal(undefined);
      }
    });
  }

  for (const [name, operation] of OPERATIONS.filter(([, { path }]) => path.includes('{number}'))) {
    it(`of ${name} is the code phone_unknown when nobody has the number`, async () => {
      const { params, body } = requests[name] ?? {};
      const jid = params?.jid ?? requests['groups.get']?.params?.jid ?? '';
      const channel = params?.channel ?? requests['channels.get']?.params?.channel ?? '';
      const given = { ...(body && { body }), params: { ...params, jid, channel, number: UNUSED } };
      const { status, answer } = await call(operation, given);
      expect(answer).to.have.property('code', 'phone_unknown');
      expect(status).to.equal(404);
    });
  }

  it('carries the code of a refusal to the user of the client', async () => {
    const refused = await world.client.phone(UNUSED).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(SandboxRefusal);
    expect(refused).to.include({ status: 404, code: 'phone_unknown' });
  });

  async function call(operation: ControlOperation, { params = {}, body }: Omit<Request, 'code'>) {
    const values: Record<string, string> = {
      number: ALICE,
      id: '1',
      messageId: 'A',
      partner: BOB,
      callId: 'A',
      serverId: '1',
      ...params,
    };
    const path = operation.path.replace(/\{(\w+)\}/g, (_, field: string) =>
      encodeURIComponent(values[field] ?? ''),
    );
    const json = operation.body && JSON.stringify(body ?? exampleOf(operation.body) ?? {});
    const type = operation.takesFile ? 'application/octet-stream' : 'application/json';
    const sent = operation.takesFile ? 'bytes' : json;
    const response = await fetch(`${world.sandbox.url}${path}`, {
      method: operation.method,
      ...(sent !== undefined && { body: sent, headers: { 'content-type': type } }),
    });
    const text = await response.text();
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, answer };
  }
});
