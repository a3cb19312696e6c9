import { Args } from '@oclif/core';
import { clientIdArg } from './flags.js';

/** Over which session, and which group. */
export function groupArgs() {
  return {
    clientId: clientIdArg(),
    groupJid: Args.string({ required: true, description: 'the group: <id>@g.us' }),
  };
}
