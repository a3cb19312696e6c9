import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventOf } from '../support/receiver.js';
import { ALICE, BOB, CAROL, linkSession, nextQr, reached, startWorld, type World } from '../support/world.js';

const PAGE = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
/** The placeholders of the examples. */
const SOME_GROUP = '120363040000000001@g.us';
const SOME_MESSAGE = '3EB0A9253D5F6C2B1E7A90';
const SOME_INVITE = 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv';
const SOME_TIME = '2026-11-23T08:00:00Z';
const HOUR_MS = 3_600_000;

/** Routes that the page describes together. */
interface Described {
  paths: string[];
  /** The one that the example is for: the last of them. */
  path: string;
  text: string;
  /** The body of the example. */
  json: string;
  /** The address of the example of a route that takes no body. */
  address: string;
}

/** The routes of a section, in the order in which they are described. */
function routesIn(section: string): Described[] {
  const [, text = ''] = PAGE.split(new RegExp(`^## ${section}$`, 'm'));
  const [own = ''] = text.split(/^## /m);
  return own
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const paths = part.split('\n', 1).flatMap((heading) => heading.match(/\/[a-z-]+/g) ?? []);
      return {
        paths,
        path: paths.at(-1) ?? '',
        text: part,
        json: /```json\n([\s\S]*?)\n```/.exec(part)?.[1] ?? '',
        address: /curl "http:\/\/[^/]+(\S+)"/.exec(part)?.[1] ?? '',
      };
    });
}

describe('the examples of the page of the API, against the sandbox', () => {
  let world: World;
  let group = '';
  let message = '';

  before(async () => {
    world = await startWorld();
    for (const person of [BOB, CAROL]) await world.phones.addPhone(person);
    await linkSession(world, 'acme');
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    ({ messageId: message } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'Hello' }));
    await eventOf(world.receiver, message);
  });
  after(() => world.stop());

  /** The documented fields of the answer that are always there. */
  const namesIn = (path: string, text: string) => {
    const [, shape = ''] = new RegExp(`\`[A-Z]+ ${path}\`[^]*?Answer: \`\\{(.*?)\\}\``).exec(text) ?? [];
    let flat = shape;
    while (/[[{]/.test(flat)) flat = flat.replace(/\{[^{}]*\}|\[[^[\]{}]*\]/g, '');
    const names = flat.split(', ').map((name) => name.split(':')[0] ?? '');
    return names.filter((name) => !name.endsWith('?'));
  };

  const described = ['Chats', 'People and pictures', 'Groups'].flatMap(routesIn);

  it('cover all routes about chats, people, pictures and groups', async () => {
    const { routes } = (await world.api.get('/config')).body;
    const paths = (Array.isArray(routes) ? routes : []).map((route) => String(route).split(' ')[1]);
    const names = /group|^.mark-|^.user-|-lid$|-picture$|-avatars$|-chat$|^.disappearing-|block/;
    const elsewhere = ['/set-enable-group-ai', '/set-profile-picture'];
    const about = paths.filter((path = '') => names.test(path) && !elsewhere.includes(path));
    expect(described.flatMap((each) => each.paths)).to.have.members(about);
  });

  for (const { path, text, json, address } of described) {
    // it takes a file
    if (path === '/set-group-picture') continue;
    it(`the examples are accepted verbatim by ${path}`, async () => {
      const invite = json.includes(SOME_INVITE)
        ? (await world.api.post('/group-invite-link', { clientId: 'acme', groupJid: group })).body.link
        : '';
      const body = json
        .replaceAll(SOME_GROUP, group)
        .replaceAll(SOME_MESSAGE, message)
        .replaceAll(SOME_INVITE, String(invite))
        .replaceAll(SOME_TIME, new Date(Date.now() + HOUR_MS).toISOString());
      const answer = json ? await world.api.post(path, JSON.parse(body)) : await world.api.get(address);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      if (path === '/create-group') {
        const made: { group?: { jid: string } } = answer.body;
        group = made.group?.jid ?? '';
      }
      if (path !== '/profile-picture') expect(answer.body).to.include.keys(namesIn(path, text));
    });
  }
});

describe('QR codes that are not scanned', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ overrides: { qrLifetimeMs: 200 } });
    await world.phones.addPhone(ALICE);
  });
  after(() => world.stop());

  const row = async () => {
    const { body } = await world.api.get('/health/clients');
    return (Array.isArray(body.clients) ? body.clients : []).find(({ clientId }) => clientId === 'acme');
  };

  it('rotate, expire, and use no resources until the next start', async () => {
    await world.api.post('/start?clientId=acme');
    const first = await nextQr(world, 'acme');
    let second = first;
    while (second === first) second = String((await world.api.get('/qr?clientId=acme&format=text')).body.qr);
    expect(second).to.match(/^https:/);
    await reached(world, 'acme', 'initializing');
    const { loggedIn, connected, reason } = await row();
    expect({ loggedIn, connected }).to.deep.equal({ loggedIn: false, connected: false });
    expect(reason).to.match(/QR code.*\/start/);
    expect(await world.phones.stats()).to.include({ connections: 0 });
    expect((await world.api.get('/qr?clientId=acme')).body).to.include({ qr: '' });
  });

  it('QR codes are issued again at the next start, and can be scanned then', async () => {
    await world.api.post('/start?clientId=acme');
    await world.phones.scan(ALICE.number, await nextQr(world, 'acme'));
    await reached(world, 'acme', 'connected');
  });
});
