import { asker, asks, EMPTY, type IqNamespace } from './iq.js';

/** The device is ready: only now may anything be pushed to it. */
export const passive: IqNamespace = {
  xmlns: 'passive',
  answer(request) {
    const companion = asker(request);
    const { connection } = request;
    if (asks(request, 'set', 'active')) {
      request.afterAnswer(() => {
        companion.mailbox.open((letter) => connection.send(letter));
        if (!companion.record.isGreeted) request.network.phone(companion.account).greet(companion);
      });
    }
    return EMPTY;
  },
};
