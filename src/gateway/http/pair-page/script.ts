/** The script of the page of a one-time address: asks for the state, shows it, and sends what the owner enters. */
export const SCRIPT = String.raw`'use strict';
const POLL_MS = 1500;
const base = location.pathname.replace(/\/+$/, '');
const all = (selector) => [...document.querySelectorAll(selector)];
const one = (selector) => document.querySelector(selector);

/** The answer of the passkey script, which comes in the fragment: browsers send it to no server. */
let answer = takeAnswer();
let state;
let isOver = false;

function takeAnswer() {
  const [, found] = /^#passkey=(.+)$/.exec(location.hash) ?? [];
  if (found === undefined) return undefined;
  history.replaceState(null, '', location.pathname);
  try { return decodeURIComponent(found); } catch { return found; }
}

async function call(path, body) {
  const request = body === undefined ? {} : {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  };
  const response = await fetch(base + path, { cache: 'no-store', credentials: 'omit', ...request });
  const content = await response.json().catch(() => ({}));
  if (response.ok) return content;
  const error = new Error(content.error ?? 'The server answered with status ' + response.status);
  error.isGone = response.headers.get('x-sn-error') === 'pair_link_unknown';
  throw error;
}

function showError(message) {
  const element = one('[data-error]');
  element.textContent = message;
  element.hidden = message === '';
}

function show(view) {
  for (const section of all('[data-view]')) section.hidden = section.dataset.view !== view;
  isOver = view === 'linked' || view === 'gone';
  if (isOver) one('footer').hidden = true;
}

function setText(selector, text) {
  for (const element of all(selector)) if (element.textContent !== text) element.textContent = text;
}

const VIEW_OF_STEP = { assertion_needed: 'assertion_needed', confirm_code: 'confirm_code', sending: 'finishing', finishing: 'finishing' };

function render() {
  const { status, passkey, qr, code, reason, secondsLeft } = state;
  show(status === 'passkey' ? VIEW_OF_STEP[passkey.step] : status);
  if (qr && one('[data-qr]').src !== qr) one('[data-qr]').src = qr;
  one('[data-part="code"]').hidden = !code;
  one('[data-part="scan"]').hidden = Boolean(code);
  setText('[data-code]', code ?? '');
  setText('[data-reason]', reason);
  for (const element of all('[data-reason]')) element.hidden = reason === '';
  setText('[data-snippet]', passkey?.snippet ?? '');
  setText('[data-passkey-code]', passkey?.code ?? '');
  setText('[data-step-left]', passkey ? 'Time left: ' + time(passkey.secondsLeft) : '');
  setText('[data-left]', 'Valid for ' + time(secondsLeft) + '. ');
}

function time(seconds) {
  return seconds >= 120 ? Math.floor(seconds / 60) + ' min' : seconds + ' s';
}

async function look() {
  try {
    state = await call('/state');
    render();
    if (one('[data-error]').dataset.cause === 'connection') fail('', '');
    if (answer !== undefined && state.passkey?.step === 'assertion_needed') await sendAnswer();
  } catch (error) {
    if (error.isGone) { fail('', ''); show('gone'); }
    else fail('The server cannot be reached. The page tries again.', 'connection');
  }
}

function fail(message, cause) {
  showError(message);
  one('[data-error]').dataset.cause = cause;
}

async function sendAnswer() {
  const text = answer;
  answer = undefined;
  let assertion;
  try { assertion = JSON.parse(text); } catch { fail('This is not the whole answer: copy it again.', 'action'); return; }
  await act('/passkey', { assertion });
}

/** Sends what the owner did, and shows what it changed. */
async function act(path, body) {
  const buttons = all('button');
  for (const button of buttons) button.disabled = true;
  try {
    await call(path, body);
    fail('', '');
    await look();
  } catch (error) {
    if (error.isGone) show('gone');
    else fail(error.message, 'action');
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

for (const form of all('form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (form.dataset.form === 'code') {
      const phone = form.phone.value.replace(/[^\d]/g, '').replace(/^00/, '');
      act('/code', { phone }).then(() => { if (state?.code) one('[data-number]').open = false; });
    } else {
      answer = form.answer.value.trim();
      sendAnswer();
    }
  });
}
const DEEDS = { start: '/start', confirm: '/passkey/confirm' };
for (const button of all('[data-do]')) button.addEventListener('click', () => act(DEEDS[button.dataset.do], {}));
for (const button of all('[data-copy]')) {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    const source = one('[data-' + button.dataset.copy + ']');
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = 'Copied';
    } catch {
      // without https there is no clipboard: the text is selected instead
      getSelection().selectAllChildren(source);
      button.textContent = 'Selected: copy it now';
    }
    setTimeout(() => { button.textContent = label; }, 2500);
  });
}
// a phone cannot scan its own screen
if (matchMedia('(pointer: coarse) and (max-width: 600px)').matches) one('[data-number]').open = true;

(async () => {
  while (!isOver) {
    if (!document.hidden) await look();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
})();
`;
