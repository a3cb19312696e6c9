import { expect } from 'chai';
import { pino } from 'pino';
import { isGatewayError } from '../../../src/domain/errors.js';
import { createBaileysLinks } from '../../../src/gateway/link/baileys/index.js';
import type { LinkEvent, PasskeyState } from '../../../src/gateway/link/link.js';
import { LinkRig, type Session } from './rig.js';

const ALICE = '+15550000001';
const DIGITS = '15550000001';

describe('a link of an account that demands a passkey', () => {
  let rig: LinkRig;
  let session: Session;
  const fault = (kind: string, more = {}) => rig.network.fault({ kind, ...more });
  const step = (name: PasskeyState['step']) =>
    session.next('passkey', ({ state }) => state.step === name).then(({ state }) => state);

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.update(ALICE, { passkey: 'required' });
    session = rig.session();
  });

  afterEach(() => rig.stop());

  /** Opens a link, and begins a pairing whose result shows in the link's events. */
  async function begin(by: 'qr' | 'code'): Promise<void> {
    session.open();
    const { qr } = await session.next('qr');
    const code = by === 'code' ? ((await session.link?.requestPairingCode(DIGITS)) ?? '') : '';
    const linked = by === 'qr' ? rig.network.scan(ALICE, qr) : rig.network.enterCode(ALICE, code);
    linked.catch(() => undefined);
  }

  /** Answers the challenge with the owner's authenticator. */
  async function answer(state?: PasskeyState): Promise<void> {
    const { options = {} } = state ?? (await step('assertion_needed'));
    await session.link?.answerPasskey(await rig.network.assertPasskey(ALICE, options));
  }

  /** The owner compares both codes; the link confirms. */
  async function confirm(): Promise<void> {
    const { code } = await step('confirm_code');
    expect((await rig.network.waitForPasskey(ALICE, 'confirm')).code).to.equal(code);
    await rig.network.confirmPasskey(ALICE, code ?? '');
    await session.link?.confirmPasskey();
  }

  async function finish(): Promise<void> {
    expect((await session.next('closed')).reason.code).to.equal('restart_required');
    session.open();
    expect((await session.next('open')).me.pn).to.equal(DIGITS);
  }

  const failureOf = (work: Promise<unknown> | undefined) =>
    (work ?? Promise.resolve()).then(() => undefined).catch((error: unknown) => error);

  for (const by of ['qr', 'code'] as const) {
    it(`pairs by ${by}, with the owner's assertion and the same code on both sides`, async () => {
      await begin(by);
      await answer();
      expect((await rig.network.waitForPasskey(ALICE, 'confirm')).handoffProved).to.equal(true);
      await confirm();
      await finish();
    });
  }

  it('pairs when the passkey is demanded before the QR code is scanned', async () => {
    session.open();
    await session.next('qr');
    rig.network.requestPasskey(ALICE).catch(() => undefined);
    await answer();
    await confirm();
    await finish();
  });

  it('stores a new secret before it answers the network', async () => {
    await begin('qr');
    await step('assertion_needed');
    const secrets = session.keys.commits.flatMap(({ credentials }) =>
      credentials ? [/"advSecretKey":"([^"]+)"/.exec(Buffer.from(credentials).toString())?.[1]] : [],
    );
    expect(new Set(secrets).size).to.equal(secrets.length);
    expect(secrets).to.have.length(2);
  });

  it('requests the options when the demand comes without them', async () => {
    await fault('passkey-options-missing');
    await begin('qr');
    await answer();
    await confirm();
    await finish();
  });

  it('reports missing options, and shows a new QR code on the next connection', async () => {
    await fault('passkey-options-missing', { count: 2 });
    await begin('qr');
    expect((await session.next('passkey-failed')).code).to.equal('options_missing');
    expect((await session.next('closed')).reason.code).to.equal('pairing_refused');
    await begin('qr');
    await answer();
    await confirm();
    await finish();
  });

  for (const [kind, code, error] of [
    ['reject-assertion', 'refused', 'passkey_refused'],
    ['passkey-expired', 'expired', 'passkey_expired'],
  ] as const) {
    it(`gets a new challenge after ${kind}, and pairs with it`, async () => {
      await fault(kind);
      await begin('qr');
      expect(isGatewayError(await failureOf(answer()), error)).to.equal(true);
      expect((await session.next('passkey-failed')).code).to.equal(code);
      const needed = session.all('passkey').filter(({ state }) => state.step === 'assertion_needed');
      expect(needed).to.have.length(2);
      await answer(needed.at(-1)?.state);
      await confirm();
      await finish();
    });
  }

  for (const flaw of ['signature', 'origin', 'rpId', 'flags'] as const) {
    it(`reports a refused assertion with a wrong ${flaw}, and can answer again`, async () => {
      await begin('qr');
      const { options = {} } = await step('assertion_needed');
      const spoilt = await rig.network.assertPasskey(ALICE, options, flaw);
      expect(
        isGatewayError(await failureOf(session.link?.answerPasskey(spoilt)), 'passkey_refused'),
      ).to.equal(true);
      await answer(session.all('passkey').at(-1)?.state);
      await confirm();
      await finish();
    });
  }

  it('does not send an answer to another challenge', async () => {
    await begin('qr');
    const { options = {} } = await step('assertion_needed');
    const spoilt = await rig.network.assertPasskey(ALICE, options, 'challenge');
    expect(
      isGatewayError(await failureOf(session.link?.answerPasskey(spoilt)), 'passkey_malformed'),
    ).to.equal(true);
    await answer();
    await confirm();
    await finish();
  });

  it('answers the second of two demands', async () => {
    await fault('second-passkey-request');
    await begin('qr');
    await session.next('passkey', ({ state }) => state.options !== session.all('passkey')[0]?.state.options);
    await answer(session.all('passkey').at(-1)?.state);
    await confirm();
    await finish();
  });

  it('reports an unexpected step, and continues', async () => {
    await fault('unasked-continuation');
    await begin('qr');
    expect((await session.next('passkey-failed')).code).to.equal('unexpected');
    await answer();
    await confirm();
    await finish();
  });

  it('reports that the owner declined, and can pair again', async () => {
    await begin('qr');
    await answer();
    await step('confirm_code');
    await rig.network.declinePasskey(ALICE);
    expect((await session.next('passkey-failed')).code).to.equal('declined');
    expect((await session.next('closed')).reason.code).to.equal('pairing_refused');
    await begin('qr');
    await answer();
    await confirm();
    await finish();
  });

  for (const kind of ['short-primary-key', 'short-primary-nonce']) {
    it(`refuses a ${kind}`, async () => {
      await fault(kind);
      await begin('qr');
      await answer();
      expect((await session.next('passkey-failed')).code).to.equal('malformed');
      expect((await session.next('closed')).reason.code).to.equal('pairing_refused');
    });
  }

  for (const by of ['qr', 'code'] as const) {
    for (const cut of [
      'passkey-request',
      'passkey-ref',
      'passkey-prologue',
      'passkey-continuation',
      'passkey-nonce',
      'passkey-pairing-request',
      'pair-success',
    ] as const) {
      it(`can pair by ${by} again after a cut before ${cut}`, async () => {
        await fault('cut-pairing', { step: cut });
        await begin(by);
        const closed = session.next('closed');
        const walk = async () => {
          await answer();
          // the code of the next attempt is not this one's to confirm
          const isCut = await Promise.race([closed.then(() => true), step('confirm_code').then(() => false)]);
          if (!isCut) await confirm();
        };
        // before the demand nothing can be answered
        if (cut !== 'passkey-request') walk().catch(() => undefined);
        expect((await closed).reason).to.not.equal('restart_required');
        await begin(by);
        await answer();
        await confirm();
        await finish();
      });
    }
  }

  it('refuses an unexpected answer and an unexpected confirmation', async () => {
    session.open();
    await session.next('qr');
    const assertion = {
      id: 'AA',
      rawId: 'AA',
      type: 'public-key',
      response: { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' },
    } as const;
    expect(
      isGatewayError(await failureOf(session.link?.answerPasskey(assertion)), 'passkey_not_asked'),
    ).to.equal(true);
    expect(isGatewayError(await failureOf(session.link?.confirmPasskey()), 'passkey_not_asked')).to.equal(
      true,
    );
  });

  it('writes no secret into a log or an event', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    session = rig.session(createBaileysLinks({ ...rig.context, log }));
    await begin('qr');
    const { qr } = await session.next('qr');
    const { options = {} } = await step('assertion_needed');
    const assertion = await rig.network.assertPasskey(ALICE, options);
    await session.link?.answerPasskey(assertion);
    await confirm();
    await session.next('closed');
    const stored = Buffer.from((await session.keys.credentials()) ?? []).toString();
    const secret = /"advSecretKey":"([^"]+)"/.exec(stored)?.[1] ?? '';
    expect(secret).to.match(/^[A-Za-z0-9+/]{43}=$/);
    const events = session.events.filter((event: LinkEvent) => event.type !== 'qr');
    const told = `${lines.join('')}${JSON.stringify(events)}`;
    for (const hidden of [secret, qr.split(',')[3] ?? secret, assertion.response.signature]) {
      expect(told).to.not.include(hidden);
    }
  });
});
