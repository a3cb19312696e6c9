import { expect } from 'chai';
import { TestBrowser } from '../support/browser.js';
import { startWorld, TOKEN, type World } from '../support/world.js';

/** Scrolls half a screen, and waits until the page has drawn what came into view. */
const SCROLL = `new Promise((done) => {
  scrollBy(0, innerHeight / 2);
  requestAnimationFrame(() => requestAnimationFrame(done));
})`;

describe('the page of the API in a browser', function () {
  this.timeout(60_000);
  let world: World;
  let browser: TestBrowser;

  before(async () => {
    world = await startWorld();
    browser = await TestBrowser.start('light');
  });
  after(async () => {
    await browser.stop();
    await world.stop();
  });

  it('opens with the token as the password, and lists the routes', async () => {
    const page = await browser.open();
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(error.message));
    const { host } = new URL(world.daemon.url);
    const answer = await page.goto(`http://:${TOKEN}@${host}/docs`);
    expect(answer?.status()).to.equal(200);
    const pathOf = (path: string) => page.locator('.opblock-summary-path', { hasText: path }).first();
    await pathOf('/start').waitFor();
    // the page draws only the routes that are in view
    for (let step = 0; step < 100 && !(await pathOf('/send-message').isVisible()); step++)
      await page.evaluate(SCROLL);
    await pathOf('/send-message').waitFor();
    expect(failures).to.deep.equal([]);
    await page.close();
  });

  it('lets a page of another site send no request, although the browser remembers the token', async () => {
    const page = await browser.open();
    const { host, port } = new URL(world.daemon.url);
    await page.goto(`http://:${TOKEN}@${host}/docs`);
    // another site for the browser: the name, not the address
    const other = `http://localhost:${port}/health/live`;
    await page.goto(other);
    const answered = page.waitForResponse((response) => response.url().includes('/start'));
    await page.setContent(`<form method="POST" action="http://${host}/start?clientId=forged"></form>`);
    await page.evaluate('document.forms[0].submit()');
    expect((await answered).status()).to.equal(403);
    expect(JSON.stringify((await world.api.get('/clients')).body)).not.to.include('forged');
    await page.close();
  });
});
