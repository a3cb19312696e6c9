import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../src/terminal/cli/errors.js';
import {
  EVENT_TYPES,
  type EventType,
  FIELDS,
  MEANINGS,
  type Triggered,
} from '../src/terminal/cli/trigger.js';

type TriggerResult = { events: Triggered[] } | { types: Readonly<Record<EventType, string>> };

const TYPES = Object.entries(MEANINGS);
const WIDEST_TYPE = Math.max(...EVENT_TYPES.map(({ length }) => length));

export default class Trigger extends DaemonCommand {
  static override summary = "Send sample events to a session's webhook";
  static override description =
    `Sends nothing over WhatsApp. The delivery is a real one, with attempts, retries, token and signature; \
tail and listen show it.

Exits with 1 if an event was not delivered after four attempts.

Types:
${TYPES.map(([type, meaning]) => `  ${type.padEnd(WIDEST_TYPE)}  ${meaning}`).join('\n')}`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> text --session acme',
    '<%= config.bin %> <%= command.id %> text --session acme --body "Where is my order?" --set remoteName=Ada',
    '<%= config.bin %> <%= command.id %> reaction --session acme --body 🎉 --json',
    '<%= config.bin %> <%= command.id %> --all --session acme',
  ];
  static override args = {
    type: Args.string({
      description: 'type of the event, listed below; without it, prints the types',
      options: [...EVENT_TYPES],
    }),
  };
  static override flags = {
    session: Flags.string({ description: 'session whose webhook to call; optional if there is only one' }),
    all: Flags.boolean({ description: 'send one event of each type', exclusive: ['body', 'set'] }),
    body: Flags.string({ description: 'text of the event' }),
    set: Flags.string({
      description: `set another field, as name=text; repeatable. Names: ${FIELDS.join(', ')}`,
      multiple: true,
      multipleNonGreedy: true,
      default: [],
    }),
  };

  async run(): Promise<TriggerResult> {
    const { args, flags } = await this.parse(Trigger);
    const { readFields } = await import('../src/terminal/cli/trigger.js');
    if (args.type && flags.all) throw new CliError('usage', 'give either a type or --all');
    const types = EVENT_TYPES.filter((type) => flags.all || type === args.type);
    if (types.length === 0) return this.list(MEANINGS);
    const fields = readFields(flags.body, flags.set);
    const { chooseSession } = await import('../src/terminal/cli/sessions.js');
    const client = await this.daemon(flags);
    const clientId = await chooseSession(client, flags.session);
    const { trigger } = await import('../src/terminal/cli/trigger.js');
    // in parallel, so that a dead receiver costs the timeout of one event; printed in order
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
      this.output.line();
      this.output.note('send one: switchboard trigger TYPE --session CLIENTID');
    }
    return { types };
  }
}
