import { Args, Flags } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import {
  envelopeFlags,
  envelopeOf,
  recipientArgs,
  SendCommand,
} from '../../src/terminal/cli/send-command.js';

export default class SendPoll extends SendCommand {
  static override summary = 'Send a poll';
  static override description = 'Votes arrive as vote_update events.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Lunch?" --option Pizza --option Soup',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Which days?" --option Mon --option Tue --choose 2',
  ];
  static override args = {
    ...recipientArgs(),
    question: Args.string({ required: true, description: 'question of the poll' }),
  };
  static override flags = {
    option: Flags.string({
      description: 'option of the poll; give 2 to 12',
      required: true,
      multiple: true,
      multipleNonGreedy: true,
    }),
    choose: Flags.integer({ description: 'number of options that a voter may choose', default: 1, min: 1 }),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendPoll);
    const { clientId, to, question: pollName } = args;
    const poll = { pollName, pollOptions: flags.option, selectableCount: flags.choose };
    const request = { clientId, to, ...poll, ...envelopeOf(flags) };
    return this.send(flags, (client, options) => client.sendPollMessage(request, options));
  }
}
