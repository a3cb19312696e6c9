import { expect } from 'chai';
import { reason } from '../../../../src/domain/reasons.js';
import { type Page, TestBrowser, type Theme } from '../../../support/browser.js';
import { ASSERTION, ASSERTION_NEEDED } from './route-cases.js';
import { createTestServer, STARTED_AT, type TestServer } from './test-server.js';

const QR = `2@${'abcdefgh/+'.repeat(22)}`;
const SHOWN_CODE = 'ABCD-EFGH';

/** The suite of the page of a one-time address. */
export function describePairPage(theme: Theme): void {
  describe(`the page of a one-time address, ${theme} and 360 pixels wide`, function () {
    this.timeout(30_000);
    let api: TestServer;
    let browser: TestBrowser;
    let page: Page;
    let url: string;
    /** Errors of the browser, and requests to other hosts. */
    let complaints: string[];

    before(async () => {
      browser = await TestBrowser.start(theme);
    });
    after(() => browser.stop());

    beforeEach(async () => {
      api = await createTestServer();
      await api.server.start();
      await api.services.sessions.start('acme', {});
      const { body } = await api.post('/pair-link', { clientId: 'acme' });
      url = api.server.info.uri + new URL(String(body.url)).pathname;
      complaints = [];
      page = await browser.open();
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        const { origin } = new URL(request.url());
        if (origin !== new URL(url).origin && origin !== 'null') complaints.push(request.url());
      });
    });
    afterEach(async () => {
      await page.close();
      await api.close();
    });

    /** Waits until a view is shown, and checks that it fits, with nothing of the others. */
    async function expectView(view: string): Promise<void> {
      await page.waitForSelector(`[data-view="${view}"]:not([hidden])`);
      const shown = page.locator('[data-view]:not([hidden])');
      expect(await shown.count()).to.equal(1);
      const { wide, contrast } = await page.evaluate<{ wide: number; contrast: number }>(LOOKS);
      expect(wide, `pixels of ${view}`).to.be.at.most(360);
      expect(contrast, `contrast of ${view}`).to.be.at.least(4.5);
    }

    it('shows each state of a pairing as it changes', async () => {
      await page.goto(url);
      await expectView('waiting');
      await api.become('acme', 'qr', { qr: QR });
      await expectView('qr');
      const { width = 0 } = (await page.locator('[data-qr]').boundingBox()) ?? {};
      expect(width).to.be.at.least(220);
      await api.become('acme', 'initializing', { why: reason('qr_expired') });
      await expectView('stopped');
      expect(await page.textContent('[data-reason]')).to.equal('No phone scanned the QR code in time.');
      await api.become('acme', 'qr', { qr: QR });
      await api.askPasskey('acme', { step: 'sending', expiresAt: STARTED_AT + 60_000 });
      await expectView('finishing');
      await api.become('acme', 'connected');
      await expectView('linked');
      expect(complaints).to.deep.equal([]);
    });

    it('creates a code for a phone number', async () => {
      await api.become('acme', 'qr', { qr: QR });
      await page.goto(url);
      await page.click('summary:has-text("Cannot scan")');
      await page.fill('#phone', '+1 (555) 000-0001');
      await page.keyboard.press('Enter');
      await page.waitForSelector(`[data-code]:has-text("${SHOWN_CODE}")`);
      await expectView('qr');
      expect(await page.isVisible('[data-qr]')).to.equal(false);
      await page.reload();
      await page.waitForSelector(`[data-code]:has-text("${SHOWN_CODE}")`);
      expect(complaints).to.deep.equal([]);
    });

    it('says why a code is refused', async () => {
      await api.become('acme', 'qr', { qr: QR });
      await page.goto(url);
      await page.click('summary:has-text("Cannot scan")');
      await page.fill('#phone', '12');
      await page.click('button:has-text("Get a code")');
      await page.waitForSelector('[role="alert"]:has-text("country code")');
    });

    it('guides through the passkey ceremony, and accepts the pasted answer', async () => {
      await api.askPasskey('acme', ASSERTION_NEEDED);
      await page.goto(url);
      await expectView('assertion_needed');
      expect(await page.textContent('[data-snippet]')).to.contain('navigator.credentials.get');
      await page.click('summary:has-text("another device")');
      await page.fill('#answer', '{"half": ');
      await page.click('button:has-text("Send the answer")');
      await page.waitForSelector('[role="alert"]:has-text("copy it again")');
      await page.fill('#answer', JSON.stringify(ASSERTION));
      await page.click('button:has-text("Send the answer")');
      await page.waitForSelector('[role="alert"]', { state: 'hidden' });
      expect(api.network.assertions).to.deep.equal([ASSERTION]);
      await api.askPasskey('acme', {
        step: 'confirm_code',
        code: SHOWN_CODE,
        expiresAt: STARTED_AT + 60_000,
      });
      await expectView('confirm_code');
      expect(await page.textContent('[data-passkey-code]')).to.equal(SHOWN_CODE);
      await page.click('button:has-text("the codes are the same")');
      await page.waitForSelector('button:disabled', { state: 'detached' });
      expect(api.network.asked.filter(([call]) => call === 'confirmPasskey')).to.have.lengthOf(1);
    });

    it('reads the answer from its fragment, and removes it there', async () => {
      await api.askPasskey('acme', ASSERTION_NEEDED);
      const sent = page.waitForResponse((response) => response.url().endsWith('/passkey'));
      await page.goto(`${url}#passkey=${encodeURIComponent(JSON.stringify(ASSERTION))}`);
      expect((await sent).status()).to.equal(200);
      expect(api.network.assertions).to.deep.equal([ASSERTION]);
      expect(page.url()).to.equal(url);
    });

    it('requests new QR codes', async () => {
      await api.become('acme', 'initializing', { why: reason('qr_expired') });
      await page.goto(url);
      await expectView('stopped');
      const asked = page.waitForResponse((response) => response.url().endsWith('/start'));
      await page.click('button:has-text("Show a new QR code")');
      expect((await asked).status()).to.equal(200);
    });

    it('reports that the address has expired, also while the page is open', async () => {
      await page.goto(`${url}x`);
      await expectView('gone');
      await page.goto(url);
      await expectView('waiting');
      await api.clock.advance(15 * 60_000);
      await expectView('gone');
    });

    it('returns with the answer of the passkey script', async () => {
      await api.askPasskey('acme', ASSERTION_NEEDED);
      await page.goto(url);
      await expectView('assertion_needed');
      const snippet = (await page.textContent('[data-snippet]')) ?? '';
      const other = await browser.open();
      // a page of the relying party, with an authenticator that has a passkey for it
      await other.route('https://web.whatsapp.com/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>WhatsApp</title>' }),
      );
      await other.goto('https://web.whatsapp.com/');
      const devtools = await other.context().newCDPSession(other);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await other.evaluate(REGISTER);
      const returned = other.waitForRequest((request) =>
        request.url().startsWith('https://gateway.example.com/pair/acme.'),
      );
      await other.route('https://gateway.example.com/**', (route) => route.fulfill({ body: 'page' }));
      await other.evaluate(snippet);
      await other.click('button:has-text("Use my passkey")');
      await returned;
      await other.waitForURL(/#passkey=/);
      const answer: unknown = JSON.parse(
        decodeURIComponent(new URL(other.url()).hash.slice('#passkey='.length)),
      );
      await other.close();
      const path = `${new URL(url).pathname}/passkey`;
      expect((await api.post(path, { assertion: answer }, { token: null })).status).to.equal(200);
      const [assertion] = api.network.assertions;
      const client = Buffer.from(assertion?.response.clientDataJSON ?? '', 'base64url').toString();
      expect(JSON.parse(client)).to.include({
        type: 'webauthn.get',
        challenge: ASSERTION_NEEDED.options?.challenge,
        origin: 'https://web.whatsapp.com',
      });
    });
  });
}

/** Pixels that the page is wide, and the contrast of its text (WCAG 2). */
const LOOKS = `(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).map((part) => part / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const text = light(getComputedStyle(document.body).color);
  const back = light(getComputedStyle(document.querySelector('main')).backgroundColor);
  const contrast = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
  return { wide: document.documentElement.scrollWidth, contrast };
})()`;

/** Creates a passkey for whatsapp.com in the authenticator of the page. */
const REGISTER = `navigator.credentials.create({ publicKey: {
  rp: { id: 'whatsapp.com', name: 'WhatsApp' },
  user: { id: new Uint8Array([1, 2, 3]), name: 'Alice', displayName: 'Alice' },
  challenge: new Uint8Array(32),
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
} }).then(() => undefined)`;
