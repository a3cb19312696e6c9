import { readFile } from 'node:fs/promises';
import { Args, Flags } from '@oclif/core';
import type { PlannedSend } from '../../src/domain/policy/plan.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import type { PlanSummary } from '../../src/terminal/cli/policy/planned.js';

const DAY_MS = 24 * 60 * 60_000;

export default class PolicyPlan extends DaemonCommand {
  static override summary = 'Replay sends against a policy and show what it would refuse or delay';
  static override description =
    `Replays the sends of a session (--session), or planned sends of a CSV file (--sends) with a line "time,recipient" for each. A refused \
send is repeated when the policy allows it, as a caller does who heeds Retry-After. Nothing is sent or changed.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> gentle --session acme',
    '<%= config.bin %> <%= command.id %> policy.yaml --sends campaign.csv --name shop --linked-days 10',
  ];
  static override args = {
    file: Args.string({ name: 'FILE', required: true, description: 'policy file, or gentle' }),
  };
  static override flags = {
    session: Flags.string({ description: 'session whose sends are replayed', helpValue: 'CLIENTID' }),
    days: Flags.integer({
      description: 'replay the sends of the last N days',
      helpValue: 'N',
      default: 14,
      min: 1,
      max: 14,
    }),
    sends: Flags.file({ description: 'CSV file with planned sends', exclusive: ['session'], exists: true }),
    name: Flags.string({ description: "policy of the file to use; default: the file's default policy" }),
    'linked-days': Flags.integer({
      description: 'age of the link in days at the first send',
      min: 0,
    }),
  };

  async run(): Promise<PlanSummary> {
    const { args, flags } = await this.parse(PolicyPlan);
    const { policiesIn } = await import('../../src/local/policy/file.js');
    const { allPastSends, readPlannedSends, pastSends, summaryOf } = await import(
      '../../src/terminal/cli/policy/planned.js'
    );
    const { planSends } = await import('../../src/domain/policy/plan.js');
    const file = await policiesIn(args.file);
    const { session, sends: csv, days } = flags;
    const past =
      csv === undefined && session !== undefined
        ? await allPastSends(await this.daemon(flags), { clientId: session, days })
        : undefined;
    const ofSession = file.sessions.get(session ?? '') ?? file.orgs.get(past?.orgId ?? '');
    const name = flags.name ?? ofSession ?? file.default;
    const policy = file.policies.get(name ?? '');
    if (!policy)
      throw new CliError(
        'usage',
        name
          ? `${args.file} has no policy ${name}; choose one with --name`
          : `${args.file} has no default policy; choose one with --name`,
      );
    let sends: PlannedSend[];
    let since: number | undefined;
    if (csv !== undefined) sends = readPlannedSends(await readFile(csv, 'utf8'), csv);
    else if (past) {
      sends = pastSends(past);
      since = Date.parse(past.linkedAt);
    } else throw new CliError('usage', 'name the sends with --session CLIENTID or --sends FILE');
    const first =
      sends.length > 0 ? sends.reduce((least, { at }) => Math.min(least, at), Infinity) : Date.now();
    const age = flags['linked-days'];
    const from = age === undefined ? (since ?? first) : first - age * DAY_MS;
    const summary = summaryOf(planSends(policy, sends, { since: from }));
    if (!this.jsonEnabled()) this.#show(policy.name, summary);
    return summary;
  }

  #show(name: string, plan: PlanSummary): void {
    this.output.fields({
      policy: name,
      sends: String(plan.sends),
      'leave at once': String(plan.atOnce),
      delayed: plan.delayed > 0 ? `${plan.delayed}, by ${plan.longestDelay} s at most` : '0',
      'never leave': String(plan.refused),
      'new chats': String(plan.newChats),
      'look-ups': String(plan.lookUps),
      'last one leaves': plan.lastLeavesAt || 'never',
    });
    for (const { rule, count } of plan.rules) this.output.line(`${rule}: ${count}`);
  }
}
