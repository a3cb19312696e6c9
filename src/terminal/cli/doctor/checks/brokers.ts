import type { FleetReceiver } from '../../../../contract/index.js';
import { isBrokerUrl } from '../../../../domain/brokers.js';
import { passed, problem, type SessionCheck } from '../check.js';

/** Brokers whose addresses an operator has not set: connections from inside the operator's network. */
export const brokers: SessionCheck = {
  id: 'brokers',
  needs: [],
  async runFor({ clientId, health }) {
    const all = (health?.receivers ?? []).filter(({ origin }) => isBrokerUrl(origin));
    const others = all.filter(({ setBy }) => setBy !== 'operator');
    const [first] = others;
    if (!first)
      return passed(all.length === 0 ? 'no brokers' : 'the operator set all brokers', { count: all.length });
    const advice =
      `if it may stay, set its address again with the master token, as switchboard receivers list ${clientId} shows it: switchboard receivers set ${clientId} ${first.id} --receiver-url <url>; ` +
      `otherwise switchboard receivers remove ${clientId} ${first.id}`;
    const facts = { receivers: others.map(({ id }) => id).join(', ') };
    return problem('tenant-broker', others.map(textOf).join('; '), advice, facts);
  },
};

function textOf({ id, origin, setBy }: FleetReceiver): string {
  const who =
    setBy === 'tenant' ? 'the secret of the session set it' : 'the secret of the session may have set it';
  return `receiver ${id} sends events to ${origin}: ${who}`;
}
