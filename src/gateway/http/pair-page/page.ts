import type { PAIR_PAGE_FILES } from '../../../contract/linking.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b7a5c"/><path d="M13 19l6-6m-8 1-2 2a4.2 4.2 0 0 0 6 6l2-2m4-2 2-2a4.2 4.2 0 0 0-6-6l-2 2" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/></svg>`;

type Asset = { type: string; content: string };

export const PAIR_PAGE_ASSETS: Readonly<Record<(typeof PAIR_PAGE_FILES)[number], Asset>> = {
  'page.js': { type: 'text/javascript', content: SCRIPT },
  'page.css': { type: 'text/css', content: STYLE },
  'icon.svg': { type: 'image/svg+xml', content: ICON },
};

/** The page of a one-time address. The page contains no data of the session; its script asks for the state. */
export function pairPage(isValid: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>Link your WhatsApp number</title>
<link rel="icon" href="../pair-page/icon.svg">
<link rel="stylesheet" href="../pair-page/page.css">
${isValid ? '<script src="../pair-page/page.js" defer></script>' : ''}
</head>
<body>
<main>
<header>
<img src="../pair-page/icon.svg" alt="" width="40" height="40">
<h1>Link your WhatsApp number</h1>
</header>
${isValid ? VIEWS : GONE.replace(' hidden', '')}
</main>
${isValid ? FOOTER : ''}
</body>
</html>
`;
}

const GONE = `<section data-view="gone" hidden>
<h2>This address is no longer valid</h2>
<p>An address like this works once, and for 15 minutes. Ask the person who sent it to you for a new one.</p>
</section>`;

const PHONE_FORM = `<form data-form="code">
<label for="phone">Your phone number, with the country code</label>
<div class="row">
<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" placeholder="+1 555 000 0001" required>
<button type="submit">Get a code</button>
</div>
</form>`;

const VIEWS = `<noscript><p class="error">This page needs JavaScript.</p></noscript>
<p class="error" data-error role="alert" hidden></p>

<section data-view="waiting">
<div class="spinner" aria-hidden="true"></div>
<p class="centre" role="status">Connecting to WhatsApp…</p>
</section>

<section data-view="qr" hidden>
<p class="error" data-reason hidden></p>
<div data-part="scan">
<figure><img data-qr alt="QR code for WhatsApp" width="280" height="280"></figure>
<ol>
<li>Open <b>WhatsApp</b> on your phone.</li>
<li>Tap <b>Settings</b>, then <b>Linked devices</b>, then <b>Link a device</b>.</li>
<li>Point the phone at this code. The code renews itself.</li>
</ol>
</div>
<div data-part="code" hidden>
<p class="centre">Type this code on your phone:</p>
<output class="code" data-code></output>
<button type="button" class="quiet" data-copy="code">Copy the code</button>
<ol>
<li>Open <b>WhatsApp</b> on your phone.</li>
<li>Tap <b>Settings</b>, then <b>Linked devices</b>, then <b>Link a device</b>.</li>
<li>Tap <b>Link with phone number instead</b>, and type the code.</li>
</ol>
</div>
<details data-number>
<summary>Cannot scan? Use your phone number</summary>
<p>If this page is open on the phone itself, link with a code instead.</p>
${PHONE_FORM}
</details>
</section>

<section data-view="assertion_needed" hidden>
<h2>WhatsApp asks for your passkey</h2>
<p>This account is protected with a passkey. Your passkey stays with you: only a signed answer is sent, and it is good for this one link.</p>
<ol>
<li>On a computer, open <a href="https://web.whatsapp.com" target="_blank" rel="noopener noreferrer">web.whatsapp.com</a> in Chrome, Edge, Firefox or Safari. You do not need to log in there.</li>
<li>Open the console: press <kbd>F12</kbd>, or <kbd>⌥</kbd> <kbd>⌘</kbd> <kbd>J</kbd> on a Mac, and choose <b>Console</b>.</li>
<li>Copy the script below, paste it into the console and press <kbd>Enter</kbd>. If the browser refuses, type <kbd>allow pasting</kbd> first.
<pre data-snippet tabindex="0" aria-label="Script for the console"></pre>
<button type="button" data-copy="snippet">Copy the script</button></li>
<li>Click <b>Use my passkey</b> and confirm with your phone, your fingerprint or your screen lock. You then come back to this page.</li>
</ol>
<details>
<summary>You did this on another device?</summary>
<form data-form="passkey">
<label for="answer">Paste the answer here</label>
<textarea id="answer" name="answer" rows="4" spellcheck="false" autocomplete="off" required></textarea>
<button type="submit">Send the answer</button>
</form>
</details>
<p class="left"><span data-step-left></span></p>
</section>

<section data-view="confirm_code" hidden>
<h2>Compare the codes</h2>
<p class="centre">Your phone now shows a code. Is it the same as this one?</p>
<output class="code" data-passkey-code></output>
<button type="button" data-do="confirm">Yes, the codes are the same</button>
<p class="hint">If the codes differ, refuse on the phone and close this page.</p>
<p class="left"><span data-step-left></span></p>
</section>

<section data-view="finishing" hidden>
<div class="spinner" aria-hidden="true"></div>
<p class="centre" role="status">Finishing the link. Keep WhatsApp open on your phone…</p>
</section>

<section data-view="stopped" hidden>
<h2>The pairing has stopped</h2>
<p data-reason></p>
<button type="button" data-do="start">Show a new QR code</button>
</section>

<section data-view="linked" hidden>
<svg class="tick" viewBox="0 0 64 64" aria-hidden="true"><circle cx="32" cy="32" r="30"/><path d="M19 33l9 9 17-19"/></svg>
<h2 class="centre">Your number is linked</h2>
<p class="centre">You can close this page. To end the link later, open <b>Linked devices</b> in WhatsApp on your phone.</p>
</section>

${GONE}`;

const FOOTER = `<footer><p><span data-left></span>Whoever has this address can link a number with it: do not pass it on.</p></footer>`;
