import { fillInbox, type Place } from '../support/inbox-fill.js';
import { serve } from '../support/serve.js';
import { vitals } from '../support/vitals.js';

const commands = {
  ...vitals,
  async fill({ place, messagesIn }: { place: Place; messagesIn: number[] }): Promise<void> {
    await fillInbox(place, messagesIn);
  },
};

export type FillerRole = typeof commands;

serve(commands);
