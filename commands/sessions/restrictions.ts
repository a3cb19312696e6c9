import type { RestrictionsAnswer } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class SessionsRestrictions extends DaemonCommand {
  static override summary = 'Show the restrictions that WhatsApp puts on a number';
  static override description =
    'Prints the time lock, under which a number cannot begin chats, and the number of chats that it may begin in this period.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme'];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<RestrictionsAnswer> {
    const { args, flags } = await this.parse(SessionsRestrictions);
    const client = await this.daemon(flags);
    const answer = await client.restrictions(args);
    const { restricted, until, reason, warning, newChats } = answer;
    if (!this.jsonEnabled())
      this.output.fields({
        restricted: restricted ? `yes, until ${until || 'an unknown time'}` : 'no',
        reason: plainLine(reason) || 'none',
        warning: plainLine(warning) || 'none',
        'new chats': newChats.limit > 0 ? `${newChats.used} of ${newChats.limit}` : 'no limit is known',
        'next period': newChats.resetsAt || 'not known',
      });
    return answer;
  }
}
