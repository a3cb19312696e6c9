import type { Chance } from '../../support/chance.js';
import { answering } from '../../support/receiver.js';
import type { Lab } from './lab.js';

/** Steps of traffic, at most, from the start of a daemon to its end. */
const MAX_STEPS = 40;

/**
 * Kills the daemon at an instant that chance chooses: when it says the n-th thing to the network, which may still be
 * told or not, or when it calls the receiver for the n-th time, before that has answered.
 * @returns resolves when it is dead
 */
export function killSomewhere(lab: Lab, chance: Chance): Promise<void> {
  let left = chance.between(1, MAX_STEPS);
  const at = chance.pick('wire', 'wire', 'receiver');
  const lastWord = chance.pick('pass' as const, 'cut' as const);
  return new Promise((resolve, reject) => {
    let struck = false;
    const strikes = () => {
      if (struck || --left > 0) return false;
      struck = true;
      lab.killDaemon().then(resolve, reject);
      return true;
    };
    if (at === 'wire') lab.wire.watch(() => (strikes() ? lastWord : 'pass'));
    else {
      lab.receiver.respond((response, call, index) => {
        if (!strikes()) return answering(200)(response, call, index);
        lab.receiver.respond(answering(200));
        response.destroy();
      });
    }
  });
}
