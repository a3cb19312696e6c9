import { child, type Stanza } from '../wire/stanza.js';

/** The network does not take buttons of the old kind any more. */
const OLD_BUTTONS_REFUSED = '405';
/** What a stanza is answered with that does not say what it should. */
const MALFORMED = '479';
const BUSINESS_ATTRS = ['actual_actors', 'host_storage', 'privacy_mode_ts'];

/**
 * Why the network refuses a message with buttons: the element that tells phones to show them is of the old kind, or
 * does not say what kind of buttons they are.
 * @returns the error of the negative ack; undefined when nothing is wrong.
 */
export function refuseButtons(message: Stanza): string | undefined {
  const biz = child(message, 'biz');
  if (child(biz, 'buttons')) return OLD_BUTTONS_REFUSED;
  const interactive = child(biz, 'interactive');
  return interactive && !child(interactive, 'native_flow') ? MALFORMED : undefined;
}

/** Whether phones show the buttons of a message: only with everything that the real network's own clients add. */
export function isRenderedFlow(extras: readonly Stanza[]): boolean {
  const biz = extras.find(({ tag }) => tag === 'biz');
  const interactive = child(biz, 'interactive');
  const flow = child(interactive, 'native_flow');
  return Boolean(
    biz &&
      BUSINESS_ATTRS.every((name) => biz.attrs[name]) &&
      interactive?.attrs.type === 'native_flow' &&
      interactive.attrs.v === '1' &&
      flow?.attrs.v === '9' &&
      flow.attrs.name &&
      child(biz, 'quality_control'),
  );
}
