import type { DaemonClient } from '../../cli/client.js';
import type { InboxModel } from '../../cli/inbox/model.js';
import { pair } from '../../cli/pair.js';
import { fullScreen } from '../full-screen.js';
import { InboxScreen } from './inbox-screen.js';

/** The inbox of a daemon on the whole terminal. */
export function showInbox(model: InboxModel, client: DaemonClient): Promise<void> {
  return fullScreen((leave) => (
    <InboxScreen
      model={model}
      pair={(request, signal) => pair(client, { ...request, signal })}
      onLeave={leave}
    />
  ));
}
