import { sampleEvent } from '../../../contract/events/sample.js';
import { DAY_MS } from '../../../domain/clock.js';
import { newDeliveryId, newMessageId } from '../../../domain/ids.js';
import type { Answer } from '../forward.js';
import { EVENT_TYPES, type EventType, MEANINGS } from '../trigger.js';
import type { CalledReceiver } from './receiver.js';

/** One requirement on a receiver. */
export interface Check {
  group: 'events' | 'trust' | 'repeats' | 'growth' | 'load';
  /** Name of the check, which completes "the receiver …". */
  name: string;
  /** `should`: a receiver that fails the check may work, but is open to forged or repeated calls. */
  level: 'must' | 'should';
  /** Runs the check. @returns the problem; empty if there is none */
  run(receiver: CalledReceiver, clientId: string): Promise<string>;
}

const SIGNATURE_AGE_MS = 10 * 60_000;
const LATE_DAYS = 3;
const LONGEST_TEXT = 65_536;
const HUGE_BYTES = 4 * 1024 * 1024;
const AT_ONCE = 16;
/** Milliseconds after which a first attempt is aborted. */
const CUT_MS = 20;

const sample = (type: EventType, clientId: string, at = Date.now()) =>
  sampleEvent(type, { clientId, orgId: '', myLid: '', at });

/** The problem of an answer that had to be 2xx. */
function notTaken({ status, problem }: Answer): string {
  if (status >= 200 && status < 300) return '';
  return status === 0 ? problem : `it answered ${status}`;
}

/** The problem of an answer that had to refuse the call. */
function notRefused({ status, problem }: Answer): string {
  if (status === 0) return problem;
  if (status >= 500) return `it answered ${status}: the gateway would try again`;
  return status >= 400 ? '' : `it answered ${status}`;
}

/** The problem of the first wrong one among several answers that had to be 2xx. */
function oneNotTaken(answers: readonly Answer[]): string {
  return answers.map(notTaken).find((problem) => problem !== '') ?? '';
}

const EVENTS = EVENT_TYPES.map(
  (type): Check => ({
    group: 'events',
    name: `takes ${MEANINGS[type].replace(' (opt-in)', '')} (${type})`,
    level: 'must',
    run: async (receiver, clientId) => notTaken(await receiver.send(sample(type, clientId))),
  }),
);

/** Every check, in the order in which they run. */
export const CHECKS: readonly Check[] = [
  ...EVENTS,
  {
    group: 'trust',
    name: 'refuses a call without a token',
    level: 'must',
    run: async (receiver, clientId) =>
      notRefused(await receiver.send(sample('text', clientId), { token: '' })),
  },
  {
    group: 'trust',
    name: 'refuses a call with another token',
    level: 'must',
    run: async (receiver, clientId) =>
      notRefused(await receiver.send(sample('text', clientId), { token: 'the-token-of-somebody-else' })),
  },
  {
    group: 'trust',
    name: 'refuses a body that does not fit its signature',
    level: 'should',
    run: async (receiver, clientId) =>
      notRefused(await receiver.send(sample('text', clientId), { signature: `v1,${'A'.repeat(43)}=` })),
  },
  {
    group: 'trust',
    name: 'refuses a call that was signed ten minutes ago',
    level: 'should',
    run: async (receiver, clientId) =>
      notRefused(await receiver.send(sample('text', clientId), { at: Date.now() - SIGNATURE_AGE_MS })),
  },
  {
    group: 'trust',
    name: 'takes a call with a second signature, as while its token is replaced',
    level: 'should',
    run: async (receiver, clientId) =>
      notTaken(await receiver.send(sample('text', clientId), { previousToken: 'the-token-before' })),
  },
  {
    group: 'repeats',
    name: 'takes the same event twice',
    level: 'must',
    async run(receiver, clientId) {
      const event = sample('text', clientId);
      return oneNotTaken([await receiver.send(event), await receiver.send(event)]);
    },
  },
  {
    group: 'repeats',
    name: 'takes the second attempt after the first one was cut',
    level: 'must',
    async run(receiver, clientId) {
      const event = sample('text', clientId);
      const deliveryId = newDeliveryId();
      await receiver.send(event, { deliveryId, cutAfterMs: CUT_MS });
      return notTaken(await receiver.send(event, { deliveryId, attempt: 2 }));
    },
  },
  {
    group: 'repeats',
    name: 'takes an event that comes days late',
    level: 'must',
    run: async (receiver, clientId) =>
      notTaken(await receiver.send(sample('text', clientId, Date.now() - LATE_DAYS * DAY_MS))),
  },
  {
    group: 'repeats',
    name: 'takes the status and the edit of a message before the message',
    level: 'must',
    async run(receiver, clientId) {
      const messageId = newMessageId();
      const status = { ...sample('message_status', clientId), messageId };
      const edit = { ...sample('edit', clientId), edit: { targetId: messageId, body: 'changed' } };
      const text = { ...sample('text', clientId), messageId };
      const answers: Answer[] = [];
      for (const event of [status, edit, text]) answers.push(await receiver.send(event));
      return oneNotTaken(answers);
    },
  },
  {
    group: 'growth',
    name: 'takes a type of event that it does not know',
    level: 'must',
    run: async (receiver, clientId) =>
      notTaken(await receiver.send({ ...sample('text', clientId), type: 'a_type_of_next_year' })),
  },
  {
    group: 'growth',
    name: 'takes fields that it does not know',
    level: 'must',
    run: async (receiver, clientId) =>
      notTaken(await receiver.send({ ...sample('text', clientId), fieldOfNextYear: { a: [1, null] } })),
  },
  {
    group: 'load',
    name: 'takes a text of 65,536 characters',
    level: 'must',
    run: async (receiver, clientId) =>
      notTaken(await receiver.send({ ...sample('text', clientId), body: '✓'.repeat(LONGEST_TEXT) })),
  },
  {
    group: 'load',
    name: 'takes 16 events at once',
    level: 'must',
    async run(receiver, clientId) {
      const calls = Array.from({ length: AT_ONCE }, () => receiver.send(sample('text', clientId)));
      return oneNotTaken(await Promise.all(calls));
    },
  },
  {
    group: 'load',
    name: 'goes on after a body of 4 MB and one that is no JSON',
    level: 'must',
    async run(receiver, clientId) {
      const event = sample('text', clientId);
      await receiver.send({ ...event, body: 'x'.repeat(HUGE_BYTES) });
      await receiver.sendText('text', '{"event":');
      return notTaken(await receiver.send(event));
    },
  },
];
