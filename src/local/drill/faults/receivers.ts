import type { HttpReceiver, Manner } from '../http-receiver.js';
import type { Lab } from '../lab.js';
import type { FaultKind } from './fault.js';

/** The receivers that a draw selects: the webhook, the durable one, or both. */
function struck({ receivers: { webhook, durable } }: Lab, draw: number): HttpReceiver[] {
  return [[webhook], [durable], [webhook, durable]][draw % 3] ?? [];
}

function answering(name: string, summary: string, manner: Manner, lasts: FaultKind['lasts']): FaultKind {
  return {
    name,
    summary,
    lasts,
    needs: [],
    async break(lab, { draw }) {
      const receivers = struck(lab, draw);
      for (const receiver of receivers) receiver.answer(manner);
      return async () => {
        for (const receiver of receivers) receiver.answer('well');
      };
    },
  };
}

/** Faults of receivers over HTTP. */
export const RECEIVER_FAULTS: readonly FaultKind[] = [
  {
    name: 'receiver-down',
    summary: 'lets receivers refuse connections',
    lasts: [1, 20],
    needs: [],
    async break(lab, { draw }) {
      const receivers = struck(lab, draw);
      for (const receiver of receivers) await receiver.down();
      return async () => {
        for (const receiver of receivers) await receiver.up();
      };
    },
  },
  answering('receiver-500', 'lets receivers answer 500', 'error', [1, 20]),
  answering('receiver-404', 'lets receivers answer 404', 'refuse', [1, 10]),
  answering('receiver-half', 'lets receivers answer every second call with 500', 'half', [5, 20]),
  answering('receiver-hang', 'lets receivers take calls and never answer', 'hang', [5, 25]),
  answering(
    'receiver-slow',
    'lets receivers answer after up to 17 seconds; the gateway waits 15',
    'slow',
    [5, 25],
  ),
  answering('receiver-closes', 'lets receivers take events and close before they answer', 'close', [1, 10]),
  answering('receiver-cut', 'lets receivers close in the middle of their answer', 'cut', [1, 10]),
];
