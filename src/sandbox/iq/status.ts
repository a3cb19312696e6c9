import { textOf } from '../wire/stanza.js';
import { asker, asks, EMPTY, type IqNamespace } from './iq.js';

/** The profile's status text. */
export const status: IqNamespace = {
  xmlns: 'status',
  answer(request) {
    const { account } = asker(request);
    if (asks(request, 'set', 'status')) {
      account.record.status = textOf(request.body);
      account.keep();
    }
    return EMPTY;
  },
};
