import { Args } from '@oclif/core';
import type { PolicyAnswer } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

const ON_WHATSAPP = {
  known: 'yes',
  absent: 'no: nothing is sent',
  asked: 'not known: WhatsApp is asked first',
};

export default class PolicyExplain extends DaemonCommand {
  static override summary = 'Show whether a message would be sent now, and which rules refuse it';
  static override description =
    'Sends nothing. Looks up an unknown number at WhatsApp, unless the policy limits look-ups.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = {
    clientId: clientIdArg(),
    to: Args.string({ required: true, description: 'phone number with +, LID or jid' }),
  };

  async run(): Promise<PolicyAnswer> {
    const { args, flags } = await this.parse(PolicyExplain);
    const client = await this.daemon(flags);
    const answer = await client.getPolicy(args);
    if (!this.jsonEnabled()) this.#show(answer);
    return answer;
  }

  #show({ policy, mode, linkedDays, messages, newChats, lookUps, chat }: PolicyAnswer): void {
    if (!policy || !chat) {
      this.output.note('the session has no policy: every message leaves');
      return;
    }
    const limit = newChats?.limit === undefined ? 'no limit' : `${newChats.left} of ${newChats.limit} left`;
    this.output.fields({
      policy: `${policy} (${mode})`,
      'number linked for': `${linkedDays} days`,
      messages: `${messages?.lastHour ?? 0} in the last hour, ${messages?.lastDay ?? 0} in 24 hours`,
      'new chats': `${newChats?.used ?? 0} in 24 hours, ${limit}`,
      recipient: `${chat.jid} (${chat.standing})`,
      ...(chat.lookUp && { 'on WhatsApp': ON_WHATSAPP[chat.lookUp] }),
      ...(lookUps && {
        'look-ups': `${lookUps.used} in the last hour, ${lookUps.left} of ${lookUps.limit} left`,
      }),
      'would leave': chat.allowed
        ? 'yes'
        : mode === 'enforce'
          ? 'no'
          : 'yes, because the policy only observes',
    });
    for (const { rule, reason, allowedAt } of chat.refusals) {
      const when = allowedAt ? `allowed at ${allowedAt}` : 'repeating it later does not help';
      this.output.line(`${rule}: ${plainLine(reason)}; ${when}`);
    }
  }
}
