import type { PairEnd } from '../../cli/pair.js';
import type { InboxView, PairRequest } from './view.js';

/** Pairs a number on a screen of its own. */
export function startPairing(view: InboxView, request: PairRequest): void {
  const controller = new AbortController();
  const items = view.options.pair(request, controller.signal);
  const stop = () => controller.abort();
  view.change({ overlay: { type: 'pairing', clientId: request.clientId, items, stop } });
}

/** Goes back to the panes, and says how the pairing ended. */
export function endPairing(view: InboxView, end: PairEnd): void {
  const { overlay } = view.state;
  if (overlay?.type !== 'pairing') return;
  view.change({ overlay: undefined, pane: 'rooms' });
  if (end.type === 'failed') {
    view.say('error', `${overlay.clientId} is not paired: ${end.reason}`, end.suggestions);
    return;
  }
  view.model.selectSession(overlay.clientId);
  view.say('done', `${overlay.clientId} is connected as ${end.jid}`);
}
