import { expect } from 'chai';
import { qrText } from '../../../src/terminal/tui/pair/qr.js';
import { type ShownInbox, showInbox } from './support/inbox.js';
import { KEYS } from './support/rendered.js';

const QR = `https://wa.me/settings/linked_devices#2@${'x'.repeat(180)}`;
const LARGE = { columns: 100, rows: 44 };

describe('pairing inside the terminal inbox', () => {
  let inbox: ShownInbox;
  afterEach(() => {
    inbox.pairing.end();
    return inbox.unmount();
  });

  const begin = async (...texts: [string, string, string]) => {
    inbox = await showInbox({}, LARGE);
    await inbox.type('p');
    for (const text of texts) await inbox.type(...(text === '' ? [] : [text]), KEYS.enter);
  };

  it('asks for name, workspace and number, and draws the QR on the whole screen', async () => {
    await begin('beta', 'office', '');
    expect(inbox.pairRequests[0]?.request).to.deep.equal({
      clientId: 'beta',
      orgId: 'office',
      phone: undefined,
    });
    inbox.pairing.give({ type: 'status', status: 'qr' });
    inbox.pairing.give({ type: 'qr', qr: QR });
    const frame = await inbox.frameWith(qrText(QR).lines.join('\n'));
    expect(frame).not.to.contain('Sessions');
  });

  it('shows a code for a number', async () => {
    await begin('beta', '', '+15550000009');
    expect(inbox.pairRequests[0]?.request).to.deep.equal({
      clientId: 'beta',
      orgId: undefined,
      phone: '+15550000009',
    });
    inbox.pairing.give({ type: 'code', code: 'ABCD-EFGH' });
    await inbox.frameWith('ABCD-EFGH');
  });

  it('selects the new session', async () => {
    await begin('beta', '', '');
    inbox.pairing.give({ type: 'connected', jid: '15550000009@s.whatsapp.net' });
    await inbox.frameWith('Sessions', '✓ beta is connected as 15550000009@s.whatsapp.net');
    expect(inbox.model.asked).to.deep.equal([['selectSession', 'beta']]);
  });

  it('shows why it failed and what to do', async () => {
    await begin('beta', '', '');
    inbox.pairing.give({
      type: 'failed',
      reason: 'the number was not linked within 240 s',
      code: 'failure',
      suggestions: ['try again: switchboard pair beta'],
    });
    await inbox.frameWith(
      '✗ beta is not paired: the number was not linked',
      '→ try again: switchboard pair beta',
    );
    expect(inbox.model.asked).to.deep.equal([]);
  });

  it('goes back with Escape and stops the pairing', async () => {
    await begin('beta', '', '');
    await inbox.type(KEYS.escape);
    expect(inbox.pairRequests[0]?.signal.aborted).to.equal(true);
    expect(inbox.frame()).to.contain('Sessions');
  });

  it('stops the pairing when the operator quits', async () => {
    await begin('beta', '', '');
    await inbox.type(KEYS.ctrlC);
    await inbox.left;
    await inbox.unmount();
    expect(inbox.pairRequests[0]?.signal.aborted).to.equal(true);
  });

  it('asks for a name', async () => {
    await begin('', '', '');
    expect(inbox.frame()).to.contain('✗ enter a session name');
    expect(inbox.pairRequests).to.deep.equal([]);
  });
});
