import { type Filling, fillInbox, type Place } from '../support/inbox-fill.js';
import { serve, vitals } from '../support/role.js';

const commands = {
  ...vitals,
  async fill({ place, filling }: { place: Place; filling: Filling }): Promise<void> {
    await fillInbox(place, filling);
  },
};

export type FillerRole = typeof commands;

serve(commands);
