import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { verify } from '../../src/sandbox/wire/keys.js';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, codeOf, pnJid, SandboxWorld } from './support/world.js';

const SERVER = 's.whatsapp.net';
const SIGNATURE_PREFIX = Buffer.from([6, 2]);

/** What whatsapp-rust demands of lists of devices and of requests that other clients do not make. */
describe('Sandbox: lists of devices, and requests of whatsapp-rust', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('signs the list of devices with the key of the phone', async () => {
    const alice = await world.linked(ALICE);
    await world.linked(BOB);
    const signed = proto.ADVSignedKeyIndexList.decode(await keyIndexList(alice, BOB));
    const details = Buffer.from(signed.details ?? []);
    expect(proto.ADVKeyIndexList.decode(details)).to.deep.include({ currentIndex: 1, validIndexes: [0, 1] });
    const message = Buffer.concat([SIGNATURE_PREFIX, details]);
    const phone = await identityOf(alice, BOB);
    expect(verify(phone, message, signed.accountSignature ?? Buffer.alloc(0))).to.equal(true);
  });

  it('gives the list another raw id when the phone was reinstalled, and one id to all devices before', async () => {
    const alice = await world.linked(ALICE);
    const before = await rawIdOf(alice, BOB);
    const bob = await world.linked(BOB);
    expect(await rawIdOf(alice, BOB)).to.equal(before);
    const own = proto.ADVDeviceIdentity.decode(bob.creds.account?.details ?? Buffer.alloc(0));
    expect(own.rawId).to.equal(before);
    await world.client.reinstall(BOB);
    expect(await rawIdOf(alice, BOB)).to.not.equal(before);
  });

  it('creates a community whose approval mode is said to be off, and refuses one with approval', async () => {
    const alice = await world.linked(ALICE);
    const create = (state: string) => {
      const approval = element('membership_approval_mode', {}, [element('group_join', { state })]);
      const wanted = element('create', { subject: 'Village', key: 'K1' }, [approval, element('parent')]);
      return ask(alice, { xmlns: 'w:g2', type: 'set', to: 'g.us' }, wanted);
    };
    const created = getBinaryNodeChild(await create('off'), 'group');
    expect(await world.client.groups.get(`${created?.attrs.id}@g.us`)).to.include({ isCommunity: true });
    expect(await codeOf(create('on'))).to.equal(501);
  });

  async function rawIdOf(asker: BaileysDevice, number: string): Promise<number | null | undefined> {
    const { details } = proto.ADVSignedKeyIndexList.decode(await keyIndexList(asker, number));
    return proto.ADVKeyIndexList.decode(details ?? Buffer.alloc(0)).rawId;
  }

  async function keyIndexList(asker: BaileysDevice, number: string): Promise<Uint8Array> {
    const user = element('user', { jid: pnJid(number) });
    const query = element(
      'usync',
      { sid: '1', mode: 'query', last: 'true', index: '0', context: 'message' },
      [element('query', {}, [element('devices', { version: '2' })]), element('list', {}, [user])],
    );
    const answer = await ask(asker, { xmlns: 'usync' }, query);
    const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list');
    const devices = getBinaryNodeChild(getBinaryNodeChild(list, 'user'), 'devices');
    const content = getBinaryNodeChild(devices, 'key-index-list')?.content;
    if (!(content instanceof Uint8Array)) throw new Error('the list is not signed');
    return content;
  }

  async function identityOf(asker: BaileysDevice, number: string): Promise<Uint8Array> {
    const user = element('user', { jid: pnJid(number) });
    const answer = await ask(asker, { xmlns: 'encrypt' }, element('key', {}, [user]));
    const [keys] = getBinaryNodeChildren(getBinaryNodeChild(answer, 'list'), 'user');
    const content = getBinaryNodeChild(keys, 'identity')?.content;
    if (!(content instanceof Uint8Array)) throw new Error('no identity');
    return content;
  }
});

/** Asks the network. */
function ask(
  device: BaileysDevice,
  { type = 'get', to = SERVER, xmlns }: { xmlns: string; type?: string; to?: string },
  content: BinaryNode,
): Promise<BinaryNode> {
  return device.socket.query({ tag: 'iq', attrs: { xmlns, type, to }, content: [content] });
}

function element(tag: string, attrs = {}, content?: BinaryNode[]): BinaryNode {
  return { tag, attrs, ...(content && { content }) };
}
