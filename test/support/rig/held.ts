import { GatewayError } from '../../../src/domain/errors.js';
import { sendableKinds } from '../../../src/gateway/kinds/index.js';
import type { KindSend } from '../../../src/gateway/kinds/kind.js';
import { until } from '../until.js';
import type { Sending } from './sending.js';

export const BOB_LID = '90000000000002@lid';
export const HOUR_MS = 60 * 60_000;

/** The kind of `/send-message`. */
export function textKind(): KindSend {
  const found = sendableKinds().find(({ path }) => path === '/send-message');
  if (found) return found;
  throw new Error('there is no /send-message');
}

/** What tests do with messages that wait. @param of the rig of the running test */
export function heldOver(of: () => Sending) {
  const refusal = () => {
    const allowedAt = new Date(of().clock.now() + HOUR_MS).toISOString();
    const policy = { rule: 'newChatGap', reason: 'too soon', allowedAt } as const;
    return new GatewayError('policy_refused', 'nothing was sent', { policy });
  };
  const send = (body: string, { to = BOB_LID, key = '' } = {}, gone?: AbortSignal) => {
    const request = { clientId: 'acme', to, body, whenAllowed: true };
    return of().sends.send(textKind(), request, key || undefined, gone);
  };
  return {
    refusal,
    send,
    /** Its policy refuses a message, and from then on no other one. @returns its id */
    async hold(body: string, wishes: { to?: string; key?: string } = {}): Promise<string> {
      const rig = of();
      rig.onAdmit = () => Promise.reject(refusal());
      const { status, messageId } = await send(body, wishes);
      if (status !== 'held') throw new Error(`the message is ${status}`);
      rig.onAdmit = async () => undefined;
      return messageId;
    },
    record: (messageId: string) => of().store.sends.get('acme', messageId),
    /** The ids of what waits. */
    waiting: async () => (await of().sends.held.list('acme')).map(({ messageId }) => messageId),
    /** Resolves when so many copies have left, and the next attempt has its time. */
    copies: (count: number) =>
      until(`${count} copies`, async () => of().sent.length === count && of().clock.pending().length > 0),
    /** As after a restart: what was in memory is gone. */
    async restart(): Promise<void> {
      of().sends.held.forget('acme');
      await of().sends.connected('acme');
    },
    async unacknowledged(): Promise<never> {
      throw new GatewayError('send_unacknowledged', 'no answer came');
    },
  };
}
