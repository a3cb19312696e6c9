import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Page, TestBrowser } from '../support/browser.js';
import { eventOf } from '../support/receiver.js';
import { ALICE, BOB, linkSession, startWorld, TOKEN, type World } from '../support/world.js';

/** Milliseconds that a page has to run what is in it. */
const RUN_MS = 400;

describe('a real browser that opens content from a stranger', function () {
  this.timeout(180_000);
  let world: World;
  let browser: TestBrowser;
  let page: Page;
  let dialogs: string[];

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    browser = await TestBrowser.start('light');
  });
  after(async () => {
    await browser.stop();
    await world.stop();
  });
  beforeEach(async () => {
    dialogs = [];
    page = await browser.open();
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  });
  afterEach(() => page.close());

  const canary = () => `${world.receiver.url}/pwned`;
  const script = () => `alert(1);fetch('${canary()}',{mode:'no-cors'});new Image().src='${canary()}'`;

  /** Opens an address; a file that is saved ends the navigation. */
  async function visit(url: string): Promise<void> {
    await page.goto(url).catch(() => undefined);
    await delay(RUN_MS);
  }

  function expectHarmless(): void {
    expect(dialogs).to.deep.equal([]);
    expect(world.receiver.calls.filter(({ path }) => path.startsWith('/pwned'))).to.deep.equal([]);
  }

  const contents: [what: string, mimeType: string, fileName: string, text: () => string][] = [
    ['a page', 'text/html', 'invoice.html', () => `<html><script>${script()}</script></html>`],
    [
      'a page that claims to be a picture',
      'image/png',
      'a.png',
      () => `<html><script>${script()}</script></html>`,
    ],
    ['a page that claims to be a video', 'video/mp4', 'a.mp4', () => `<script>${script()}</script>`],
    ['a page that claims to be plain text', 'text/plain', 'a.html', () => `<script>${script()}</script>`],
    ['a page with a strange type', 'text/html\u0000', 'a.htm', () => `<script>${script()}</script>`],
    [
      'XHTML',
      'application/xhtml+xml',
      'a.xhtml',
      () => `<html xmlns="http://www.w3.org/1999/xhtml"><script>${script()}</script></html>`,
    ],
    [
      'a picture with a script',
      'image/svg+xml',
      'a.svg',
      () => `<svg xmlns="http://www.w3.org/2000/svg" onload="${script()}"/>`,
    ],
    [
      'XML with a style that runs',
      'text/xml',
      'a.xml',
      () =>
        `<?xml version="1.0"?><x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${script()}</h:script></x>`,
    ],
    ['a script', 'text/javascript', 'a.js', script],
    [
      'a PDF with a script',
      'application/pdf',
      'a.pdf',
      () => `%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n%%EOF`,
    ],
  ];

  for (const [what, mimeType, fileName, text] of contents) {
    it(`runs no script in ${what}, whether opened, framed or loaded`, async () => {
      const base64 = Buffer.from(text()).toString('base64');
      const media = { kind: 'document', mimeType, fileName, base64 } as const;
      const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, media });
      const event = await eventOf(world.receiver, messageId);
      const url: unknown = Object(event.media).downloadUrl;
      if (typeof url !== 'string') throw new Error('the file has no link');
      await visit(url);
      await visit(`${url}/../${encodeURIComponent('x.html')}`);
      const tags = ['iframe src', 'object data', 'embed src', 'img src'].map((tag) => `<${tag}="${url}">`);
      // a data address, because the page of a picture takes no other content
      await visit(`data:text/html,${encodeURIComponent(tags.join(''))}`);
      await delay(RUN_MS);
      expectHarmless();
    });
  }

  it('runs no script in an address that an answer repeats', async () => {
    const attack = encodeURIComponent(`<script>${script()}</script><img src=x onerror="${script()}">`);
    const pages = [
      `/${attack}`,
      `/pair/${attack}`,
      `/pair/acme.${attack}`,
      `/media/${attack}/${attack}`,
      `/docs?${attack}`,
    ];
    for (const path of [...pages, `/health/live?x=${attack}`, `/pair-page/${attack}`])
      await visit(`${world.api.url}${path}`);
    expectHarmless();
  });

  it('runs no script on the page of a one-time address whose session has a strange state', async () => {
    await world.api.post('/start?clientId=fresh', {});
    const { body } = await world.api.post('/pair-link', { clientId: 'fresh' });
    await visit(
      `${String(body.url)}?${encodeURIComponent(`<script>${script()}</script>`)}#<img src=x onerror="${script()}">`,
    );
    expect(await page.title()).to.not.equal('');
    expectHarmless();
  });

  it('opens the page of the API with the token as a password, and no other route', async () => {
    const withToken = world.api.url.replace('://', `://:${TOKEN}@`);
    await visit(`${withToken}/docs`);
    await page.waitForSelector('.swagger-ui .info');
    // a page whose address holds a password must name its origin
    const asked =
      "['/openapi.json', '/clients', '/config', '/metrics'].map((path) => fetch(location.origin + path))";
    const statuses = await page.evaluate(
      `Promise.all(${asked}).then((all) => all.map(({ status }) => status))`,
    );
    expect(statuses).to.deep.equal([200, 401, 401, 401]);
    expectHarmless();
  });
});
