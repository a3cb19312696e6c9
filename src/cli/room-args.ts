import { Args } from '@oclif/core';
import { clientIdArg } from './flags.js';

/** Of which session, and which of its rooms. */
export function roomArgs() {
  return {
    clientId: clientIdArg(),
    room: Args.string({
      required: true,
      description: "+phone, LID digits, jid, the room's id, or its name or a part of it",
    }),
  };
}
