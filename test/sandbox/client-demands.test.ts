import { getBinaryNodeChild } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { heard } from './support/stanza-queries.js';
import { ALICE, BOB, SandboxWorld } from './support/world.js';

/** More stanzas as clients of other families read them, beside `strict-clients.test.ts`. */
describe('Sandbox: what clients of other families demand', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  describe('messages', () => {
    it('marks a withheld copy as the official client reads it', async () => {
      const alice = await world.linked(ALICE);
      for (const [deviceCopy, attrs, isOfBot] of [
        ['unavailable', {}, false],
        ['unavailable-view-once', { type: 'view_once' }, false],
        ['unavailable-hosted', { hosted: 'true' }, false],
        ['unavailable-bot', {}, true],
      ] as const) {
        const told = heard(alice, 'message', (node) => getBinaryNodeChild(node, 'unavailable') !== undefined);
        await world.client.write(BOB, { to: ALICE, text: 'withheld', deviceCopy });
        const message = await told;
        expect(getBinaryNodeChild(message, 'unavailable')?.attrs, deviceCopy).to.deep.equal(attrs);
        expect(getBinaryNodeChild(message, 'bot') !== undefined, deviceCopy).to.equal(isOfBot);
      }
    });
  });
});
