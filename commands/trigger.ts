import { Args, Flags } from '@oclif/core';
import { CliError } from '../src/cli/cli-error.js';
import { DaemonCommand } from '../src/cli/daemon-command.js';
import { EXIT_CODES } from '../src/cli/exit-code.js';
import { EVENT_TYPES, type EventType, FIELDS, type Triggered } from '../src/cli/trigger.js';

type TriggerResult = { events: Triggered[] } | { types: Readonly<Record<EventType, string>> };

export default class Trigger extends DaemonCommand {
  static override summary = "Send a realistic event of any type to a session's webhook";
  static override description =
    `The event is made up: nobody wrote anything, and nothing is sent over the network. It takes the way of \
every event: attempts, retries and token are real, tail and listen show it. Without a type the types are \
listed.

Ends with 1 when an event did not arrive, after up to four attempts.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> text --session acme',
    '<%= config.bin %> <%= command.id %> text --session acme --body "Where is my order?" --set remoteName=Ada',
    '<%= config.bin %> <%= command.id %> reaction --session acme --body 🎉 --json',
    '<%= config.bin %> <%= command.id %> --all --session acme',
  ];
  static override args = {
    type: Args.string({ description: 'type of the event', options: [...EVENT_TYPES] }),
  };
  static override flags = {
    session: Flags.string({ description: 'whose webhook; may be left out when there is only one session' }),
    all: Flags.boolean({ description: 'one event of each type', exclusive: ['body', 'set'] }),
    body: Flags.string({ description: 'what the event says' }),
    set: Flags.string({
      description: `name=text of another field; repeatable. Names: ${FIELDS.join(', ')}`,
      multiple: true,
      multipleNonGreedy: true,
      default: [],
    }),
  };

  async run(): Promise<TriggerResult> {
    const { args, flags } = await this.parse(Trigger);
    const { MEANINGS, readFields } = await import('../src/cli/trigger.js');
    if (args.type && flags.all) throw new CliError('usage', 'name either a type or --all');
    const types = EVENT_TYPES.filter((type) => flags.all || type === args.type);
    if (types.length === 0) return this.list(MEANINGS);
    const fields = readFields(flags.body, flags.set);
    const { chooseSession } = await import('../src/cli/listen/session.js');
    const client = await this.daemon(flags);
    const clientId = await chooseSession(client, flags.session);
    const { trigger } = await import('../src/cli/trigger.js');
    // at the same time, so that a dead receiver costs the time of one; shown in their order
    const sent = types.map((type) => trigger(client, type, { clientId, fields }));
    const events: Triggered[] = [];
    void Promise.allSettled(sent);
    for (const event of sent) events.push(this.show(await event));
    if (events.some(({ delivered }) => !delivered)) process.exitCode = EXIT_CODES.failure;
    return { events };
  }

  private show(event: Triggered): Triggered {
    if (this.jsonEnabled()) return event;
    const { type, delivered, reason, deliveryId } = event;
    const { paint } = this.output;
    const outcome = delivered ? paint('green', '✓ delivered') : paint('red', '✗ not delivered');
    this.output.line(`${outcome} ${type}${reason ? `: ${reason}` : ''} ${paint('dim', deliveryId)}`);
    return event;
  }

  private async list(types: Readonly<Record<EventType, string>>): Promise<TriggerResult> {
    if (!this.jsonEnabled()) {
      this.output.fields(types);
      this.output.note('\nsend one: switchboard trigger TYPE --session CLIENTID');
    }
    return { types };
  }
}
