import { say } from '../context.js';
import type { Acting } from './acting.js';

/** Gives a session a workspace, so that its history is kept from now on. @throws CliError */
export async function keepHistory(acting: Acting, clientId: string, orgId: string): Promise<void> {
  await acting.client.setOrgId(clientId, orgId);
  await acting.refreshSessions();
  const text = `from now on the messages of ${clientId} are kept`;
  say(acting, { level: 'done', text, suggestions: [] });
}
