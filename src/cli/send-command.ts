import { Args, Flags } from '@oclif/core';
import { CliError } from './cli-error.js';
import { DaemonCommand, type DaemonFlags } from './daemon-command.js';
import { clientIdArg } from './flags.js';
import { parseObject } from './json-api.js';
import type { MessageToSend } from './send.js';
import type { SendAnswer } from './wire.js';

/** Under which help shows what any message may carry. */
const GROUP = 'MESSAGE';

/** A command that sends something over a session, and ends well only after the network has acknowledged it. */
export abstract class SendCommand extends DaemonCommand {
  static override baseFlags = {
    ...DaemonCommand.baseFlags,
    'idempotency-key': Flags.string({
      description: 'the same key within 24 hours sends once',
      helpValue: 'KEY',
      helpGroup: GROUP,
    }),
  };

  /** Sends, and prints the answer. */
  protected async send(flags: SendFlags, message: MessageToSend): Promise<SendAnswer> {
    const { send } = await import('./send.js');
    return this.report(await send(await this.daemon(flags), message, flags['idempotency-key']));
  }

  protected report(answer: SendAnswer): SendAnswer {
    if (answer.warning) this.output.warning(answer.warning);
    if (!this.jsonEnabled()) this.output.line(`${answer.status} ${answer.messageId}`);
    return answer;
  }
}

export interface SendFlags extends DaemonFlags {
  'idempotency-key'?: string;
}

/** Over which session, and to whom. */
export function recipientArgs() {
  return {
    clientId: clientIdArg(),
    to: Args.string({ required: true, description: '+phone, LID digits, or a full jid (group: …@g.us)' }),
  };
}

/** The flags of what may be in any message's envelope. */
export function envelopeFlags() {
  return {
    quote: Flags.string({
      description: 'id of the message that this one answers',
      helpValue: 'ID',
      helpGroup: GROUP,
    }),
    mention: Flags.string({
      description: 'user-part to mention; repeatable',
      helpValue: 'USER',
      helpGroup: GROUP,
      multiple: true,
      multipleNonGreedy: true,
    }),
    meta: Flags.string({
      description: 'JSON object that comes back on the message.sent event',
      helpValue: 'JSON',
      helpGroup: GROUP,
    }),
  };
}

/** The envelope's fields as the API takes them. @throws CliError `usage` */
export function envelopeOf(flags: { quote?: string; mention?: string[]; meta?: string }) {
  return {
    quotedMessageId: flags.quote,
    mentions: flags.mention,
    metaData: flags.meta === undefined ? undefined : parseMeta(flags.meta),
  };
}

function parseMeta(meta: string): object {
  const value = parseObject(meta);
  if (value) return value;
  throw new CliError('usage', '--meta must be a JSON object', {
    suggestions: ['such as --meta \'{"fromAI": true}\''],
  });
}
