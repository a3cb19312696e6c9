import { expect } from 'chai';
import { type Page, TestBrowser } from '../support/browser.js';
import { ALICE, reached, startWorld, type World } from '../support/world.js';

describe('the one-time pairing page', function () {
  this.timeout(60_000);
  let world: World;
  let browser: TestBrowser;
  let page: Page;
  let clients = 0;
  let clientId: string;

  before(async () => {
    world = await startWorld();
    browser = await TestBrowser.start('light');
  });
  after(async () => {
    await browser.stop();
    await world.stop();
  });

  beforeEach(async () => {
    clients += 1;
    clientId = `owner${clients}`;
    await world.api.post(`/start?clientId=${clientId}`);
    await reached(world, clientId, 'qr');
    const { body } = await world.api.post('/pair-link', { clientId });
    page = await browser.open();
    await page.goto(String(body.url));
  });
  afterEach(async () => {
    await page.close();
    await world.api.post('/disconnect', { clientId });
  });

  const person = async (passkey: 'required' | 'off') => {
    const number = `+1555000010${clients}`;
    await world.phones.addPhone({ number, name: ALICE.name });
    await world.phones.update(number, { passkey });
    return number;
  };
  const askForCode = async (number: string) => {
    await page.click('summary:has-text("Cannot scan")');
    await page.fill('#phone', number);
    await page.click('button:has-text("Get a code")');
    const code = page.locator('[data-code]:not(:empty)');
    await code.waitFor();
    // resolves when the number is linked
    world.phones.enterCode(number, (await code.textContent()) ?? '').catch(() => undefined);
  };

  it('links the number with a code', async () => {
    const number = await person('off');
    await askForCode(number);
    await page.waitForSelector('[data-view="linked"]:not([hidden])');
    await reached(world, clientId, 'connected');
  });

  it('links the number with a code and a passkey', async () => {
    const number = await person('required');
    await askForCode(number);
    await page.waitForSelector('[data-view="assertion_needed"]:not([hidden])');
    const { body } = await world.api.get(`/passkey?clientId=${clientId}`);
    const options = Object(body.options);
    expect(options).to.have.property('challenge');
    const assertion = await world.phones.assertPasskey(number, options);
    await page.click('summary:has-text("another device")');
    await page.fill('#answer', JSON.stringify(assertion));
    await page.click('button:has-text("Send the answer")');
    await page.waitForSelector('[data-view="confirm_code"]:not([hidden])');
    const code = (await page.textContent('[data-passkey-code]')) ?? '';
    expect((await world.phones.waitForPasskey(number, 'confirm')).code).to.equal(code);
    await world.phones.confirmPasskey(number, code);
    await page.click('button:has-text("the codes are the same")');
    await page.waitForSelector('[data-view="linked"]:not([hidden])');
    await reached(world, clientId, 'connected');
  });
});
