import type { EventEnvelope } from '../../src/events/envelope.js';
import type { ReceivedCall, TestReceiver } from './receiver.js';

/** The event of a call, as the receiver got it; undefined when it is none. */
export function eventIn({ body }: ReceivedCall): EventEnvelope | undefined {
  if (!body.startsWith('{"event":')) return undefined;
  const event: EventEnvelope = JSON.parse(body);
  return event;
}

/** The first event of a message that the receiver got, or gets. */
export async function eventOf(receiver: TestReceiver, messageId: string): Promise<EventEnvelope> {
  const call = await receiver.find((candidate) => eventIn(candidate)?.messageId === messageId);
  const event = eventIn(call);
  if (!event) throw new Error('unreachable: the call was found by its event');
  return event;
}

/** The events that the receiver has got of a message. */
export function eventsOf(receiver: TestReceiver, messageId: string): EventEnvelope[] {
  return receiver.calls.flatMap((call) => {
    const event = eventIn(call);
    return event?.messageId === messageId ? [event] : [];
  });
}
