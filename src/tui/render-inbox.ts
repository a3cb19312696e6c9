import './react-mode.js';
import type { DaemonClient } from '../cli/client.js';
import type { InboxModel } from '../cli/inbox/model.js';

/** Shows the inbox on the whole terminal until the operator leaves. The model stays open. */
export async function renderInbox(model: InboxModel, { client }: { client: DaemonClient }): Promise<void> {
  const { showInbox } = await import('./screens/show-inbox.js');
  await showInbox(model, client);
}
