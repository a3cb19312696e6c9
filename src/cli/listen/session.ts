import { CliError } from '../cli-error.js';
import type { DaemonClient } from '../client.js';

/** The session that was named, or the only one that there is. @throws CliError `usage` with their names */
export async function chooseSession(client: DaemonClient, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const clientIds = (await client.clients()).map(({ clientId }) => clientId).sort();
  const [only, ...others] = clientIds;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    throw new CliError('not_found', 'there is no session yet', {
      suggestions: ['pair one: switchboard pair CLIENTID'],
    });
  }
  throw new CliError('usage', 'there are several sessions: name one with --session', {
    suggestions: [clientIds.join(', ')],
  });
}
