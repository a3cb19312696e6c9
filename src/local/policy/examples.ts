import { formatJid, parseRecipient } from '../../domain/address.js';
import { DAY_MS } from '../../domain/clock.js';
import type { Policy } from '../../domain/policy/policy.js';
import { type ChatStanding, judge } from '../../domain/policy/rules.js';
import { SendCounts } from '../../domain/policy/send-counts.js';
import type { PolicyExample } from '../../gateway/config/policy-file.js';

/** Runs an example against its policy. @returns the differences from the example; empty if there are none */
export function runExample(policy: Policy, { linkedDays, startsAt, sends }: PolicyExample): string[] {
  const counts = new SendCounts();
  const begun = new Map<string, ChatStanding>();
  const lookUps: number[] = [];
  const wrong: string[] = [];
  let at = startsAt;
  let order = 0;
  for (const { afterMs, to, text = '', groupSize = 0, times, expect, rule, onWhatsApp, ...send } of sends) {
    for (let time = 0; time < times; time += 1) {
      order += 1;
      at += time === 0 ? afterMs : 0;
      const standing = send.standing ?? begun.get(to) ?? 'new';
      const isLookedUp = policy.lookUpFirst !== undefined && standing === 'new' && onWhatsApp !== 'known';
      const intended = { at, to, addresses: addressesOf(to), standing, text, groupSize, isLookedUp };
      const [refusal] = judge(policy, intended, {
        since: startsAt - linkedDays * DAY_MS,
        counts,
        restrictions: [],
        lookUps: lookUps.filter((asked) => asked > at - DAY_MS / 24),
      });
      if (!refusal && isLookedUp) lookUps.push(at);
      const found = refusal ? `refused by ${refusal.rule} (${refusal.reason})` : 'sent';
      const wanted = expect === 'sent' ? 'sent' : `refused${rule ? ` by ${rule}` : ''}`;
      const isWrong = refusal ? expect !== 'refused' || (rule && rule !== refusal.rule) : expect !== 'sent';
      if (isWrong) wrong.push(`send ${order}, to ${to}: ${found}, and not ${wanted}`);
      if (refusal) continue;
      counts.add({ at, to, isNewChat: standing === 'new', text });
      if (standing === 'new') begun.set(to, 'unanswered');
    }
  }
  return wrong;
}

/** The addresses by which `allow` and `deny` may name a recipient: the name, and for a number its jid. */
function addressesOf(to: string): string[] {
  const address = parseRecipient(to);
  return address ? [to, formatJid(address)] : [to];
}
