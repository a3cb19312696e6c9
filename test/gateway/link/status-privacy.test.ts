import { Boom } from '@hapi/boom';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { askStatusPrivacy } from '../../../src/gateway/link/baileys/status-privacy.js';
import { expectFailure } from '../../contracts/store/harness.js';

const CONTACTS = { type: 'contacts', default: 'true' };

function list(attrs: BinaryNode['attrs'], ...users: BinaryNode['attrs'][]): BinaryNode {
  return { tag: 'list', attrs, content: users.map((user) => ({ tag: 'user', attrs: user })) };
}

/** An answer of the network with these lists. */
function answer(...lists: BinaryNode[]): BinaryNode {
  return { tag: 'iq', attrs: {}, content: [{ tag: 'privacy', attrs: {}, content: lists }] };
}

describe('the question who may see the statuses of an account', () => {
  const ask = (query: () => Promise<BinaryNode>) => askStatusPrivacy({ query });

  it('reads the default list, whose people have a LID and perhaps a number', async () => {
    const told = answer(
      list({ type: 'whitelist' }),
      list(
        { type: 'blacklist', default: 'true' },
        { jid: '9@lid', pn_jid: '15550000002@s.whatsapp.net' },
        { jid: '15550000003@s.whatsapp.net' },
      ),
    );
    expect(await ask(async () => told)).to.deep.equal({
      mode: 'except',
      people: [{ lid: '9', pn: '15550000002' }, { pn: '15550000003' }],
    });
    expect((await ask(async () => answer(list(CONTACTS)))).mode).to.equal('contacts');
  });

  it('takes contacts for an account that has never set it, which the network does not find', async () => {
    const notFound = new Boom('item-not-found', { data: 404 });
    expect(await ask(() => Promise.reject(notFound))).to.deep.equal({ mode: 'contacts', people: [] });
  });

  it('fails for a setting that the gateway does not know, and for an answer without one', async () => {
    const lists = [list({ type: 'close_friends', default: 'true' }), list({ type: 'Blacklist' })];
    const unknown = [...lists.map((one) => answer(one)), answer()];
    for (const told of [...unknown, { tag: 'iq', attrs: {} }])
      await expectFailure(
        ask(async () => told),
        'lookup_failed',
      );
    await expectFailure(
      ask(() => Promise.reject(new Boom('forbidden', { data: 403 }))),
      'lookup_failed',
    );
  });
});
