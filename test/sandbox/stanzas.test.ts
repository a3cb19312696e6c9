import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { StanzaEvent, StanzaJson } from '../../src/client/sandbox/client.js';
import { ALICE, SandboxWorld } from './support/world.js';

describe('Sandbox: single stanzas', () => {
  const world = new SandboxWorld();

  before(() => world.open());
  after(() => world.close());

  it('sends a device any stanza, and shows every stanza to a stream that asks for them', async () => {
    const alice = await world.linked(ALICE);
    const done = new AbortController();
    const stream = await world.client.stanzas.watch(done.signal);
    const sent = {
      tag: 'ib',
      attrs: { from: '@s.whatsapp.net', id: '7' },
      children: [
        { tag: 'curious', attrs: {}, text: 'someone@example.org, 12' },
        { tag: 'bytes', attrs: {}, base64: '/wA=' },
      ],
    };
    const got = new Promise<BinaryNode>((resolve) => alice.socket.ws.once('CB:ib,,curious', resolve));
    expect(await world.client.stanzas.send(ALICE, 1, sent)).to.deep.equal(sent);
    const [curious, bytes] = childrenOf(await got);
    expect(String(curious?.content)).to.equal('someone@example.org, 12');
    expect(bytes?.content).to.deep.equal(Buffer.from([255, 0]));
    const shown = await until(stream, ({ stanza: { attrs } }) => attrs?.id === '7');
    expect(shown).to.deep.equal({
      type: 'stanza',
      number: ALICE,
      device: 1,
      direction: 'out',
      stanza: sent,
    });
    const ping = alice.socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p', id: 'my-ping' },
    });
    const seen = await until(stream, ({ stanza: { attrs } }) => attrs?.id === 'my-ping');
    expect(seen).to.include({ direction: 'in', number: ALICE });
    await ping;
    done.abort();
  });

  it('names the account when it accepts a login', async () => {
    const alice = await world.linked(ALICE);
    const done = new AbortController();
    const stream = await world.client.stanzas.watch(done.signal);
    await alice.stop();
    await alice.connect();
    const { stanza } = await until(stream, (event) => event.stanza.tag === 'success');
    expect(stanza.attrs).to.include({ display_name: 'Alice' });
    done.abort();
  });

  it('refuses stanzas that are malformed, and devices that are not there', async () => {
    const refused = async (device: number, stanza: StanzaJson) =>
      world.client.stanzas.send(ALICE, device, stanza).catch((error) => `${error.status} ${error.message}`);
    expect(await refused(9, { tag: 'ib' })).to.equal(`404 ${ALICE} has no device 9`);
    expect(await refused(1, { tag: 'no tag' })).to.match(/^400 "tag"/);
    expect(await refused(1, { tag: 'ib', text: 'a', base64: '' })).to.match(/^400 .*conflict/);
    let deep: StanzaJson = { tag: 'ib' };
    for (let level = 0; level < 40; level++) deep = { tag: 'ib', children: [deep] };
    expect(await refused(1, deep)).to.match(/^400 the stanza has more than 32 levels/);
  });
});

/** The next stanza that fits; the stream goes on. */
async function until(
  stream: AsyncGenerator<StanzaEvent>,
  fits: (event: StanzaEvent) => boolean,
): Promise<StanzaEvent> {
  for (let next = await stream.next(); !next.done; next = await stream.next()) {
    if (fits(next.value)) return next.value;
  }
  throw new Error('the stream has ended');
}

function childrenOf({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content : [];
}
