import { fine, type SessionCheck, wrong } from '../check.js';

/** Are events waiting that could not be delivered? */
export const deliveries: SessionCheck = {
  id: 'deliveries',
  needs: [],
  async lookAt({ clientId }, room) {
    const failed = await room.failedDeliveries(clientId);
    const [newest] = failed;
    if (!newest) return fine('none has failed', { count: 0 });
    const { failedAt, reason } = newest;
    const count = failed.length;
    const detail = `${count} could not be delivered, the last one at ${failedAt}: ${reason}`;
    const advice =
      'mend the receiver, then send them again: switchboard failed list, switchboard failed resend';
    return wrong('deliveries-failed', detail, advice, { count, failedAt, reason });
  },
};
