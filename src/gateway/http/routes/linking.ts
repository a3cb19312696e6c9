import { linking, type PairPasskey, type PasskeyAnswer } from '../../../contract/linking.js';
import type { ErrorCode } from '../../../domain/errors.js';
import { sessionOfPairToken } from '../../../domain/ids.js';
import { passkeySnippet } from '../../../domain/passkey.js';
import { ownersTextOf } from '../../../domain/reasons.js';
import type { PairView, PasskeyState, Services } from '../../services/services.js';
import { PAIR_PAGE_ASSETS, pairPage } from '../pair-page/page.js';
import { ERROR_HEADER } from '../plugins/errors.js';
import { type Parts, type Route, route } from '../route.js';

/** Content security policy: only resources of this server; the QR code is an image inside the answer. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

const UNKNOWN = 404;
const PAGE_UNKNOWN: ErrorCode = 'pair_link_unknown';

/** Finds the session of a token, so that the node that holds its link answers. */
const ofToken = async ({ params }: { params: Record<string, unknown> }) =>
  typeof params.token === 'string' ? sessionOfPairToken(params.token) : undefined;

export const linkingRoutes: readonly Route[] = [
  route(linking.getPasskey, ({ query }, parts) => passkeyAnswer(query.clientId, parts)),
  route(linking.answerPasskey, async ({ payload: { clientId, assertion } }, parts) => {
    await parts.services.sessions.answerPasskey(clientId, assertion);
    return passkeyAnswer(clientId, parts);
  }),
  route(linking.confirmPasskey, async ({ payload: { clientId } }, parts) => {
    await parts.services.sessions.confirmPasskey(clientId);
    return passkeyAnswer(clientId, parts);
  }),
  route(linking.createPairLink, ({ payload: { clientId } }, { services }) => ({
    clientId,
    ...services.pairLinks.create(clientId),
  })),
  route(
    linking.getPairPage,
    ({ params }, { services }, h) => {
      const isValid = isKnown(services, params.token);
      const response = h.response(pairPage(isValid)).type('text/html');
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.header(name, value);
      // the page is for people, the header for programs
      return isValid ? response : response.code(UNKNOWN).header(ERROR_HEADER, PAGE_UNKNOWN);
    },
    ofToken,
  ),
  route(
    linking.getPairState,
    async ({ params: { token } }, { services, now }, h) => {
      const { pairLinks } = services;
      const view = pairLinks.view(token);
      const body = await pairState(view, pairLinks.url(token), now());
      return h.response(body).header('x-robots-tag', 'noindex');
    },
    ofToken,
  ),
  route(
    linking.startPair,
    async ({ params: { token } }, { services }) => {
      await services.pairLinks.start(token);
      return { ok: true };
    },
    ofToken,
  ),
  route(
    linking.requestPairCode,
    async ({ params: { token }, payload: { phone } }, { services }) => ({
      code: await services.pairLinks.requestCode(token, phone.replace('+', '')),
    }),
    ofToken,
  ),
  route(
    linking.answerPairPasskey,
    async ({ params: { token }, payload: { assertion } }, { services }) => {
      await services.pairLinks.answerPasskey(token, assertion);
      return { ok: true };
    },
    ofToken,
  ),
  route(
    linking.confirmPairPasskey,
    async ({ params: { token } }, { services }) => {
      await services.pairLinks.confirmPasskey(token);
      return { ok: true };
    },
    ofToken,
  ),
  route(linking.getPairPageFile, ({ params }, _parts, h) => {
    const { type, content } = PAIR_PAGE_ASSETS[params.file];
    return h.response(content).type(type).header('cache-control', 'public, max-age=300');
  }),
];

function isKnown({ pairLinks }: Services, token: string): boolean {
  try {
    pairLinks.view(token);
    return true;
  } catch {
    return false;
  }
}

function passkeyAnswer(clientId: string, { services, now }: Parts): PasskeyAnswer {
  const state = services.sessions.passkey(clientId);
  return state ? { clientId, ...toView(state, now()) } : { clientId, step: 'none', secondsLeft: 0 };
}

function toView({ step, options, code, expiresAt }: PasskeyState, now: number) {
  const secondsLeft = secondsUntil(expiresAt, now);
  return { step, ...(options && { options }), ...(code !== undefined && { code }), secondsLeft };
}

async function pairState(view: PairView, url: string, now: number) {
  const { status, reason, qr, code, passkey, expiresAt } = view;
  return {
    status,
    reason: reason ? ownersTextOf(reason) : '',
    ...(reason && { reasonCode: reason.code }),
    ...(qr !== undefined && { qr: await qrImage(qr) }),
    ...(code !== undefined && { code }),
    ...(passkey && { passkey: pairPasskey(passkey, url, now) }),
    secondsLeft: secondsUntil(expiresAt, now),
  };
}

function pairPasskey(state: PasskeyState, url: string, now: number): PairPasskey {
  const { options } = state;
  return { ...toView(state, now), snippet: options && passkeySnippet(options, url) };
}

function secondsUntil(at: number, now: number): number {
  return Math.max(0, Math.ceil((at - now) / 1_000));
}

async function qrImage(text: string): Promise<string> {
  const { default: codes } = await import('qrcode');
  const svg = await codes.toString(text, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
