import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { type BaileysDevice, textOf } from './support/baileys-device.js';
import { ALICE, BOB, SandboxWorld } from './support/world.js';

const CHANNEL = '120363000000000001@newsletter';

describe('Sandbox: statuses and channel posts', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('statuses and channel posts reach a linked device, which can decrypt each status', async () => {
    const alice = await world.linked(ALICE);
    for (const text of ['first', 'second']) await world.client.postStatus(BOB, text);
    await world.client.postInChannel(ALICE, { text: 'news' });
    await alice.text('news');
    expect(alice.messages.map((one) => [one.key.remoteJid, textOf(one)])).to.deep.equal([
      ['status@broadcast', 'first'],
      ['status@broadcast', 'second'],
      [CHANNEL, 'news'],
    ]);
  });

  it('block the rest of the queue while the device refuses one of them', async () => {
    // refuses each status with an error acknowledgement, as released versions of the library do
    const alice = await world.linked(ALICE, { shouldIgnoreJid: (jid) => jid.endsWith('@broadcast') });
    await alice.stop();
    const { messageId } = await world.client.postStatus(BOB, 'in the way');
    alice.start();
    await alice.until(
      'connection.update',
      ({ receivedPendingNotifications }) => receivedPendingNotifications === true,
    );
    await alice.stop();
    await world.client.write(BOB, { to: ALICE, text: 'withheld' });
    alice.start();
    const status = await nextMessage(alice);
    expect(status.attrs.id).to.equal(messageId);
    // the network has handled the refusal once it answers a later query
    await alice.socket.fetchPrivacySettings(true);
    expect(alice.messages).to.deep.equal([]);
    await alice.socket.sendNode({
      tag: 'ack',
      attrs: { id: messageId, class: 'message', to: 'status@broadcast' },
    });
    await alice.text('withheld');
    expect(alice.messages.map(textOf)).to.deep.equal(['withheld']);
  });
});

/** The next message stanza that a client is sent. */
function nextMessage(device: BaileysDevice): Promise<BinaryNode> {
  return new Promise((resolve) => device.socket.ws.on('CB:message', resolve));
}
