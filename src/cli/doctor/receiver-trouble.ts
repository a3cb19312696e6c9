import { type Finding, wrong } from './check.js';
import { type Fault, faultIn } from './fault.js';
import type { Trouble, Troubles } from './troubles.js';

const SEE = 'switchboard tail';

const BY_FAULT: Troubles<Fault> = {
  refused: ['webhook-refused', 'start the receiver, or correct host and port'],
  timeout: ['webhook-slow', 'let the receiver answer 200 at once and do its work afterwards: it has 15 s'],
  'unknown-host': ['webhook-unknown-host', "correct the host, or let the daemon's machine look it up: DNS"],
  tls: [
    'webhook-certificate',
    'give the receiver a certificate that is valid for its name, with its chain; self-signed ones are trusted ' +
      'when the daemon runs with NODE_EXTRA_CA_CERTS',
  ],
  unreachable: [
    'webhook-unreachable',
    `look at the receiver's log and at what is in between; see also ${SEE}`,
  ],
};

type Meaning = readonly [trouble: Trouble, advice: string];

const BY_STATUS: readonly (readonly [statuses: RegExp, meaning: Meaning])[] = [
  [
    /^40[13]$/,
    [
      'webhook-unauthorized',
      'let receiver and session have one token: switchboard sessions webhook <name> <url> --webhook-token <token>',
    ],
  ],
  [/^(404|410)$/, ['webhook-not-found', 'correct the path of the address: the receiver does not know it']],
  [
    /^3/,
    [
      'webhook-redirect',
      'set the final address: redirects are not followed (http instead of https? a slash?)',
    ],
  ],
  [/^(5|429)/, ['webhook-error', "look at the receiver's log: it fails on its own side"]],
];
const REJECTS: Meaning = ['webhook-rejects', 'let the receiver answer 2xx to a POST of JSON'];

const PRIVATE = /loopback, link-local, private or reserved address/;
const PRIVATE_ADVICE =
  'give the receiver a public address, or let the daemon call your own network: --allow-private-urls';

/**
 * What is wrong with a receiver, by the reason that the daemon gives of a delivery that failed.
 * @param facts what else is known of it
 */
export function receiverTrouble(detail: string, reason: string, facts: Finding['facts'] = {}): Finding {
  if (PRIVATE.test(reason)) return wrong('webhook-private', detail, PRIVATE_ADVICE, { ...facts, reason });
  const status = /answered (\d{3})/.exec(reason)?.[1];
  if (status !== undefined) return byStatus(detail, status, { ...facts, reason });
  const fault = faultIn(reason);
  const [trouble, advice] = BY_FAULT[fault];
  return wrong(trouble, detail, advice, { ...facts, reason, fault });
}

function byStatus(detail: string, status: string, facts: Finding['facts']): Finding {
  const rule = BY_STATUS.find(([statuses]) => statuses.test(status));
  const [trouble, advice] = rule?.[1] ?? REJECTS;
  return wrong(trouble, detail, advice, { ...facts, status: Number(status) });
}
