import { buttonsSend } from './buttons.js';
import { contactSend } from './contact.js';
import { editSend } from './edit.js';
import { listSend } from './list.js';
import { locationSend } from './location.js';
import { pinSend } from './pin.js';
import { pollSend } from './poll.js';
import { reactionSend } from './reaction.js';
import type { SendRequest } from './send-request.js';
import { textSend } from './text.js';

/** The kinds of messages that have a route, in the order of the document; `kinds/` composes each of them. */
export const SEND_REQUESTS: readonly SendRequest[] = [
  textSend,
  pollSend,
  listSend,
  buttonsSend,
  contactSend,
  locationSend,
  reactionSend,
  editSend,
  pinSend,
];
