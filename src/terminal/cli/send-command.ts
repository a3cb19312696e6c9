import { Args, Flags } from '@oclif/core';
import type { CallOptions } from '../../client/generated/operations.generated.js';
import type { SendAnswer, SendMediaAnswer } from '../../contract/index.js';
import type { DaemonClient } from './client.js';
import { DaemonCommand, type DaemonFlags } from './command.js';
import { CliError } from './errors.js';
import { clientIdArg, FIELD_WORDS, MESSAGE_FLAGS } from './flags.js';
import { objectIn } from './request-inputs.js';

const GROUP = 'MESSAGE';

/** A command that sends a message and succeeds once WhatsApp has acknowledged it. */
export abstract class SendCommand extends DaemonCommand {
  static override baseFlags = {
    ...DaemonCommand.baseFlags,
    'idempotency-key': Flags.string({
      description: 'send only once per key within 24 hours',
      helpValue: 'KEY',
      helpGroup: GROUP,
    }),
  };

  /** Whether --when-allowed can hold the message; commands set this to false if it cannot. */
  protected isKeepable = true;

  /** Suggests --when-allowed after a refusal that lasts for a time. */
  protected override catch(error: Error): Promise<void> {
    if (
      !(
        error instanceof CliError &&
        error.policy?.allowedAt &&
        this.isKeepable &&
        'when-allowed' in this.ctor.flags
      )
    ) {
      return super.catch(error);
    }
    const { failure, message, policy, cause } = error;
    const keep = 'keep the message, and send it when the policy allows it: add --when-allowed';
    return super.catch(
      new CliError(failure, message, { suggestions: [keep, ...error.suggestions], policy, cause }),
    );
  }

  /** Sends, and prints the answer. */
  protected async send(
    flags: DaemonFlags & { 'idempotency-key'?: string | undefined },
    message: (client: DaemonClient, options: CallOptions) => Promise<SendAnswer>,
  ): Promise<SendAnswer> {
    const { send } = await import('./send.js');
    const client = await this.daemon(flags);
    return this.report(await send((options) => message(client, options), flags['idempotency-key']));
  }

  protected report<Sent extends SendAnswer | SendMediaAnswer>(answer: Sent): Sent {
    if ('fallback' in answer) this.output.warning('the file is too large: sent a text with its link instead');
    if (answer.warning) this.output.warning(answer.warning);
    if (answer.status === 'held')
      this.output.note(`not sent yet (${answer.rule}): it is allowed at ${answer.allowedAt}`);
    if (!this.jsonEnabled()) this.output.line(`${answer.status} ${answer.messageId}`);
    return answer;
  }
}

export function recipientArgs() {
  return {
    clientId: clientIdArg(),
    to: Args.string({
      required: true,
      description: FIELD_WORDS.to,
    }),
  };
}

/** Flags that every kind of message accepts. */
export function envelopeFlags() {
  return {
    quote: Flags.string({
      description: MESSAGE_FLAGS.quotedMessageId.words,
      helpValue: MESSAGE_FLAGS.quotedMessageId.value,
      helpGroup: GROUP,
    }),
    mention: Flags.string({
      description: MESSAGE_FLAGS.mentions.words,
      helpValue: MESSAGE_FLAGS.mentions.value,
      helpGroup: GROUP,
      multiple: true,
      multipleNonGreedy: true,
    }),
    meta: Flags.string({
      description: MESSAGE_FLAGS.metaData.words,
      helpValue: MESSAGE_FLAGS.metaData.value,
      helpGroup: GROUP,
    }),
    'when-allowed': Flags.boolean({
      description: MESSAGE_FLAGS.whenAllowed.words,
      helpGroup: GROUP,
    }),
  };
}

/** The values of `envelopeFlags` as fields of the API. @throws CliError `usage` */
export function envelopeOf(flags: {
  quote?: string;
  mention?: string[];
  meta?: string;
  'when-allowed'?: boolean;
}) {
  return {
    quotedMessageId: flags.quote,
    mentions: flags.mention,
    metaData: flags.meta === undefined ? undefined : objectIn('meta', flags.meta),
    whenAllowed: flags['when-allowed'],
  };
}
