// Loaded into a gateway on Baileys before its own code. Lets the unchanged gateway connect to a simulated network:
// the address and the root key in the settings of its own copy of Baileys, and the answer to its question for the newest version.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { PEER_WS_URL, PEER_ROOT_KEY, PEER_BAILEYS, PEER_QR_TEXT } = process.env;
const require = createRequire(join(process.cwd(), 'package.json'));

const baileys = await import(pathToFileURL(require.resolve(PEER_BAILEYS ?? '@whiskeysockets/baileys')).href);
baileys.DEFAULT_CONNECTION_CONFIG.waWebSocketUrl = PEER_WS_URL;
// releases before 7.0.0-rc10 check no certificate
baileys.WA_CERT_DETAILS?.PUBLIC_KEY?.set?.(Buffer.from(PEER_ROOT_KEY ?? '', 'base64'));

// a gateway that shows its QR only as a picture gives its text
if (PEER_QR_TEXT) {
  const qrcode = require('qrcode');
  qrcode.toDataURL = async (text) => text;
}

const fetchAnything = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const { host } = new URL(input instanceof Request ? input.url : String(input));
  if (host === 'web.whatsapp.com' || host === 'raw.githubusercontent.com')
    return new Response('unavailable in a comparison', { status: 503 });
  return fetchAnything(input, init);
};
