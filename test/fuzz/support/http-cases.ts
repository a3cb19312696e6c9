import { EXTRA_EVENT_TYPES, MESSAGE_EVENT_TYPES } from '../../../src/contract/events/catalogue.js';
import { DESCRIBED, isRequired, plausible } from './plausible.js';
import { type Prng, strangeObject, strangeText, strangeValue } from './values.js';

/** Stands in every secret that a case sends, and must not come back. */
export const CANARY = 'CANARY-SECRET';

/** Sessions that come and go. */
const CHURN = ['churn1', 'churn2', 'churn3'];
/** Bytes of a body where none is expected. */
const UNREAD_BODY = 1_000;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'SEARCH'] as const;
const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'application/json; charset=utf-16',
  'application/xml',
  'application/vnd.api+json',
  'nonsense',
  '',
];

export type Method = (typeof METHODS)[number];

/** One request. */
export interface HttpCase {
  method: Method;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

/** What cases are made of. */
export interface HttpWorld {
  /** As `GET /config` lists them: `POST /start`. */
  routes: readonly string[];
  token: string;
  /** A linked session that cases may do anything to but end. */
  linked: string;
  /** A linked session of which cases have the secret but which they never name. */
  secret: string;
  /** A number on the network. */
  number: string;
  receiverUrl: string;
}

/** A host in the examples of the contract, perhaps with its scheme: no test goes there. */
const FOREIGN = /(https?:\/\/)?\b(?:\w{1,20}\.)?example\.(?:com|org)(?::\d{1,5})?/g;

type Make = (prng: Prng, world: HttpWorld) => unknown;

/** A plausible value for each field by its name, whatever the route. */
const FIELDS: Readonly<Record<string, Make>> = {
  clientId: (prng, { linked }) => prng.pick([linked, linked, linked, linked, ...CHURN, 'nobody']),
  to: (prng, { number }) =>
    prng.pick([number, number, number, number, '+15559999999', '100000000000001', 'x@g.us']),
  body: (prng) => (prng.chance(0.7) ? prng.text(prng.int(1, 60), 'abc äß🙂\n') : strangeText(prng)),
  quotedMessageId: (prng) => prng.text(20, '0123456789ABCDEF'),
  mentions: (prng, { number }) => [number.slice(1), prng.text(15, '0123456789')],
  metaData: (prng) => strangeObject(prng),
  webhookUrl: (prng, { receiverUrl }) => prng.pick([receiverUrl, receiverUrl, `${receiverUrl}/x?y=1`, '']),
  pollLookupUrl: (prng, { receiverUrl }) => prng.pick([receiverUrl, '']),
  webhookToken: (prng) => `${CANARY}-${prng.text(8, 'abc')}`,
  extraEvents: (prng) => (prng.chance(0.5) ? [prng.pick(EXTRA_EVENT_TYPES)] : []),
  orgId: (prng) => prng.pick(['', 'org1', 'org2']),
  secret: (prng) => prng.pick([`${CANARY}-${prng.text(12, 'abc')}`, '']),
  enabled: (prng) => prng.chance(0.5),
  phone: (prng, { number }) => prng.pick([number.slice(1), '15559999999']),
  type: (prng) => prng.pick([...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES]),
  format: (prng) => prng.pick(['text', 'text', 'png']),
  limit: (prng) => prng.pick([1, 10, 0, 1_000, 'x']),
  lastEventId: (prng) => prng.text(8, '0123456789-'),
  messageId: (prng) => prng.text(20, '0123456789ABCDEF'),
  messageIds: (prng) => [prng.text(20, '0123456789ABCDEF')],
  jid: (_prng, { number }) => number,
  groupJid: (prng) => `${prng.text(18, '0123456789')}@g.us`,
  proxy: (prng) => prng.pick([null, 'http://127.0.0.1:9', `socks5://u:${CANARY}@127.0.0.1:9`, 'x']),
  members: (_prng, { number }) => [number],
  emoji: (prng) => prng.pick(['👍', '']),
};

/** Routes after which a session refuses everything, or has no connection for a while. */
const ENDS: ReadonlySet<string> = new Set([
  '/disconnect',
  '/set-proxy',
  '/adopt',
  '/give-back',
  '/export',
  '/export-keys',
]);

/** Makes one request out of random numbers. */
export function makeHttpCase(prng: Prng, world: HttpWorld): HttpCase {
  const [listed = 'GET', template = '/'] = pickRoute(prng, world.routes).split(' ');
  const method = prng.chance(0.04) ? prng.pick(METHODS) : listed === '*' ? prng.pick(METHODS) : listed;
  const query = makeQuery(prng, world, listed, template);
  const path = `${makePath(prng, template)}${query ? `?${query}` : ''}`;
  const hasBody = method === 'POST' ? prng.chance(0.97) : prng.chance(0.03);
  const made = hasBody ? makeBody(prng, world, template) : undefined;
  const headers = { ...makeAuth(prng, world), ...makeHeaders(prng), ...made?.headers };
  // who sends so much where nothing is read loses the end of the answer with the connection
  const body = method === 'POST' ? made?.body : made?.body.slice(0, UNREAD_BODY);
  const kept = typeof body === 'string' ? onThisMachine(body, world) : body;
  const request = { method: asMethod(method), path, headers, body: method === 'HEAD' ? undefined : kept };
  return ENDS.has(template) || String(request.body).includes('proxy') ? spareLinked(request, world) : request;
}

function onThisMachine(body: string, { receiverUrl }: HttpWorld): string {
  const { host } = new URL(receiverUrl);
  return body.replace(FOREIGN, (_found, scheme) => (scheme ? receiverUrl : host));
}

/** Routes that take a body have the most ways to be called. */
function pickRoute(prng: Prng, routes: readonly string[]): string {
  const route = prng.pick(routes);
  return route.startsWith('POST') ? route : prng.pick(routes);
}

function asMethod(name: string): Method {
  return METHODS.find((method) => method === name) ?? 'GET';
}

function makePath(prng: Prng, template: string): string {
  const path = template.replace(/\{(\w+)\*?\}/g, () =>
    prng.chance(0.8)
      ? prng.text(26, 'ABCDEFGHJKMNPQRSTVWXYZ0123456789')
      : encode(strangeText(prng).slice(0, 200)),
  );
  if (prng.chance(0.02)) return `${path}${prng.pick(['/', '//', '/%2e%2e', '%', '%zz', '/x', ';x=1'])}`;
  return path;
}

function makeQuery(prng: Prng, world: HttpWorld, listed: string, template: string): string {
  // a session that nobody knows would be started for each random name
  const clientId = template === '/start' ? prng.pick([...CHURN, world.linked]) : undefined;
  const pairs: string[] = clientId && prng.chance(0.9) ? [`clientId=${clientId}`] : [];
  const query = listed === 'GET' ? (DESCRIBED.get(`GET ${template}`)?.query ?? {}) : {};
  for (const [name, field] of Object.entries(query)) {
    if (prng.chance(isRequired(field) ? 0.9 : 0.3))
      pairs.push(`${name}=${encode(String(FIELDS[name]?.(prng, world) ?? plausible(prng, field)))}`);
  }
  if (prng.chance(0.1))
    pairs.push(`${encode(strangeText(prng).slice(0, 100))}=${encode(strangeText(prng).slice(0, 500))}`);
  if (prng.chance(0.02))
    pairs.push(prng.pick(['%', 'clientId', 'clientId=%ff', 'a[b]=c', '__proto__=x', '&&==']));
  return pairs.join('&');
}

/** Percent-encoded; halves of surrogate pairs cannot be. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function makeAuth(prng: Prng, { token, secret }: HttpWorld): Record<string, string> {
  const way = prng.fraction();
  if (way < 0.85) return { authorization: `Bearer ${token}` };
  if (way < 0.9) return { 'x-v3-secret': secret };
  if (way < 0.94) return { authorization: `Bearer ${CANARY}${prng.text(20, 'xyz')}` };
  if (way < 0.97) return {};
  return {
    authorization: prng.pick(['', 'Bearer', `Basic ${CANARY}`, `${token}`, 'bearer  ', `Bearer ${token}x`]),
  };
}

function makeHeaders(prng: Prng): Record<string, string> {
  const headers: Record<string, string> = {};
  if (prng.chance(0.15))
    headers['idempotency-key'] = prng.pick(['k1', 'k2', prng.text(20, 'abc-'), 'x'.repeat(300), 'ä', ' ']);
  if (prng.chance(0.02)) headers['last-event-id'] = strangeText(prng).replace(/[^\x20-\x7e]/g, '');
  if (prng.chance(0.02)) headers.cookie = prng.pick(['a=b', ';;;', '=', `x=${'y'.repeat(3_000)}`]);
  if (prng.chance(0.02)) headers['accept-encoding'] = prng.pick(['gzip', 'br', 'nonsense', '*;q=0']);
  if (prng.chance(0.02)) headers.range = prng.pick(['bytes=0-', 'bytes=-1', 'bytes=9-1', 'lines=1']);
  if (prng.chance(0.02)) headers['if-none-match'] = '*';
  return headers;
}

function makeBody(prng: Prng, world: HttpWorld, template: string) {
  const json = { 'content-type': 'application/json' };
  const object = makeObject(prng, world, template);
  const text = JSON.stringify(object);
  const way = prng.fraction();
  if (way < 0.88) return { headers: json, body: text };
  if (way < 0.91) return { headers: json, body: broken(prng, text) };
  if (way < 0.93) return { headers: json, body: JSON.stringify(strangeValue(prng)) ?? '' };
  if (way < 0.95) return { headers: json, body: prng.bytes(prng.int(0, 200)) };
  if (way < 0.955) return { headers: json, body: `{"body":"${'x'.repeat(1_100_000)}"}` };
  if (way < 0.965)
    return {
      headers: { ...json, 'content-encoding': prng.pick(['gzip', 'deflate', 'br', 'x']) },
      body: text,
    };
  return { headers: { 'content-type': prng.pick(CONTENT_TYPES) }, body: text };
}

/** Fields that the route may take, some of them spoilt, left out or made up. */
function makeObject(prng: Prng, world: HttpWorld, template: string): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(DESCRIBED.get(`POST ${template}`)?.body ?? {})) {
    if (!prng.chance(isRequired(field) || name === 'clientId' ? 0.98 : 0.3)) continue;
    // what the world knows, such as numbers that exist; otherwise what the schema says
    const known = FIELDS[name];
    object[name] = known && prng.chance(0.9) ? known(prng, world) : plausible(prng, field);
  }
  if (prng.chance(0.05)) object.clientId = FIELDS.clientId?.(prng, world);
  if (template === '/start') delete object.clientId;
  if (prng.chance(0.3)) object[prng.pick(Object.keys(FIELDS))] = strangeValue(prng);
  // spread, not assigned: a made-up field may be named __proto__
  return prng.chance(0.1) ? { ...object, ...strangeObject(prng) } : object;
}

function broken(prng: Prng, text: string): string {
  const at = prng.int(0, text.length);
  const cut = text.slice(0, at);
  return prng.chance(0.5)
    ? cut
    : `${cut}${prng.pick(['{', '"', '\0', ',', ']', '\\u', '\ufeff'])}${text.slice(at + 1)}`;
}

/** The linked session must live on: whatever would end it, or lead it through a proxy, goes to one that may. */
function spareLinked(request: HttpCase, { linked }: HttpWorld): HttpCase {
  const spared = (text: string) => text.replaceAll(linked, 'churn1');
  const body = typeof request.body === 'string' ? spared(request.body) : request.body;
  return { ...request, path: spared(request.path), body };
}
