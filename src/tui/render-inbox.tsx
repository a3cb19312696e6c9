import type { DaemonClient } from '../cli/client.js';
import type { InboxModel } from '../cli/inbox/model.js';
import { pair } from '../cli/pair.js';
import { fullScreen } from './full-screen.js';
import { InboxScreen } from './screens/inbox-screen.js';

/** Shows the inbox on the whole terminal until the operator leaves. The model stays open. */
export function renderInbox(model: InboxModel, { client }: { client: DaemonClient }): Promise<void> {
  return fullScreen((leave) => (
    <InboxScreen
      model={model}
      pair={(request, signal) => pair(client, { ...request, signal })}
      onLeave={leave}
    />
  ));
}
