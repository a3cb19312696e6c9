import { Args } from '@oclif/core';
import type { PolicyFigures } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';

export default class PolicyReport extends DaemonCommand {
  static override summary = 'Show what the policies refused, or would have refused';
  static override description =
    `Lists each session with a policy and the number of sends that each rule refused since the daemon holds the \
session. With the mode "observe" the sends left, and would be refused with "enforce".`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override args = { clientId: Args.string({ name: 'CLIENTID', description: 'name of one session' }) };

  async run(): Promise<{ sessions: ({ clientId: string } & PolicyFigures)[] }> {
    const { args, flags } = await this.parse(PolicyReport);
    const client = await this.daemon(flags);
    const { clientId } = args;
    const fleet = await client.getFleet(clientId === undefined ? {} : { clientId });
    const sessions = fleet.sessions.flatMap((session) =>
      session.policy ? [{ clientId: session.clientId, ...session.policy }] : [],
    );
    if (!this.jsonEnabled()) await this.#show(sessions);
    return { sessions };
  }

  async #show(sessions: readonly ({ clientId: string } & PolicyFigures)[]): Promise<void> {
    if (sessions.length === 0) return this.output.note('no session has a policy: see docs/policies.md');
    await this.output.table(
      ['SESSION', 'POLICY', 'MODE', 'REFUSED', 'BY RULE'],
      sessions.map(({ clientId, name, mode, refused }) => [
        clientId,
        name,
        mode,
        String(refused.reduce((sum, { count }) => sum + count, 0)),
        refused.map(({ rule, count }) => `${rule} ${count}`).join(', '),
      ]),
    );
  }
}
