import type { Sinks } from '../../../../src/gateway/delivery/sinks/sinks.js';
import { inWords } from '../../../support/reasons.js';

/** Publishes an event; the reason of a failure is in words. */
export async function published(sinks: Pick<Sinks, 'publish'>, ...event: Parameters<Sinks['publish']>) {
  return inWords(await sinks.publish(...event));
}
