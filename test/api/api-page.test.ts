import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventOf } from '../support/events.js';
import { ALICE, BOB, CAROL, linkSession } from '../support/pairing.js';
import { startWorld, type World } from '../support/world.js';

const PAGE = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
/** What stands in the examples for what every reader has another one of. */
const SOME_GROUP = '120363040000000001@g.us';
const SOME_MESSAGE = '3EB0A9253D5F6C2B1E7A90';

/** A route that the page describes with an example. */
interface Described {
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
    .map((part) => ({
      path: /\/[a-z-]+/.exec(part)?.[0] ?? '',
      text: part,
      json: /```json\n([\s\S]*?)\n```/.exec(part)?.[1] ?? '',
      address: /curl "http:\/\/[^/]+(\S+)"/.exec(part)?.[1] ?? '',
    }));
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

  /** The names in the answer that the page tells of: those before the first brace within it. */
  const namesIn = (text: string) => {
    const [, names = ''] = /Answer[^`]*`\{([^}]*?)[:}]/.exec(text) ?? [];
    return names.split(', ');
  };

  const described = ['Chats', 'People and pictures', 'Groups'].flatMap(routesIn);

  it('are there for all routes about chats, people, pictures and groups', async () => {
    const { routes } = (await world.api.get('/config')).body;
    const paths = (Array.isArray(routes) ? routes : []).map((route) => String(route).split(' ')[1]);
    const names = /group|^.mark-|^.user-|-lid$|-picture$|-avatars$/;
    const about = paths.filter((path) => names.test(path ?? '') && path !== '/set-enable-group-ai');
    expect(described.map(({ path }) => path)).to.have.members(about);
  });

  for (const { path, text, json, address } of described) {
    it(`are taken as they stand by ${path}`, async () => {
      const body = json.replaceAll(SOME_GROUP, group).replaceAll(SOME_MESSAGE, message);
      const answer = json ? await world.api.post(path, JSON.parse(body)) : await world.api.get(address);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      if (path === '/create-group') {
        const made: { group?: { jid: string } } = answer.body;
        group = made.group?.jid ?? '';
      }
      if (path !== '/profile-picture') expect(answer.body).to.include.keys(namesIn(text));
    });
  }
});
