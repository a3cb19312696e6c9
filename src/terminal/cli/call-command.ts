import { type Command, Flags } from '@oclif/core';
import type { AnswerOf, SendAnswer } from '../../client/generated/operations.generated.js';
import { DaemonCommand, daemonFlags } from './command.js';
import { EXIT_CODES, type Failure } from './errors.js';
import type { Output } from './output.js';
import {
  type FieldOf,
  inputsOf,
  type OperationWithRequest,
  type RequestInputs,
  typedRequest,
} from './request-inputs.js';
import { SendCommand } from './send-command.js';

/** What a command prints of an answer: a line, or more. */
type Printed = string | PrintedParts;

interface PrintedParts {
  lines?: readonly string[];
  fields?: Readonly<Record<string, string>>;
  /** `none`: the note in place of a table without rows. */
  table?: { head: readonly string[]; rows: readonly (readonly string[])[]; none: string };
  /** Beside the result, on standard error. */
  note?: string | undefined;
}

/** What every command says in its help. */
interface Help {
  summary: string;
  description: string;
  /** What follows the name of the command; or a whole line with `…` in place of the command. */
  examples: string[];
}

/** A field of the request, as text. */
type Given<Name extends OperationWithRequest> = (field: FieldOf<Name>) => string;

/** A command that makes one call of the API and prints the answer. */
interface OneCall<Name extends OperationWithRequest> extends Help, RequestInputs<Name> {
  /** The question before a call that cannot be undone; `--yes` answers it. */
  confirm?(given: Given<Name>): string;
  /** What `--json` prints of the answer; all of it unless said otherwise. */
  part?(answer: AnswerOf<Name>): object;
  /** The failure that an answer means: the command ends with its exit code, although the call succeeded. */
  failure?(answer: AnswerOf<Name>, given: Given<Name>): Failure | undefined;
  warning?(answer: AnswerOf<Name>): string | undefined;
  print(answer: AnswerOf<Name>, given: Given<Name>): Printed;
}

/**
 * A command of one call: arguments and flags come from the contract, except where `call` says otherwise. The manifest of the
 * commands says which operation each calls.
 */
export function callCommand<Name extends OperationWithRequest>(
  operation: Name,
  call: OneCall<Name>,
): Command.Class {
  const { inputs, ...typedAs } = inputsOf(operation, call);
  const yes = { yes: Flags.boolean({ char: 'y', description: 'skip the confirmation' }) };
  const flags = { ...typedAs.flags, ...(call.confirm && yes) };

  class OneCallCommand extends DaemonCommand {
    async run(): Promise<object> {
      const typed = await this.parse(this.ctor);
      const request = await typedRequest(inputs, call, typed);
      const given: Given<Name> = (field) => String(request[field] ?? '');
      if (call.confirm && !typed.flags.yes) await this.confirm(call.confirm(given));
      const client = await this.daemon(daemonFlags(typed.flags));
      const answer = await client.callByName(operation, request);
      const failure = call.failure?.(answer, given);
      const warning = call.warning?.(answer);
      if (failure) process.exitCode = EXIT_CODES[failure];
      if (warning) this.output.warning(warning);
      if (!this.jsonEnabled()) await print(this.output, call.print(answer, given));
      return call.part?.(answer) ?? answer;
    }
  }
  return Object.assign(OneCallCommand, { ...helpOf(call), ...typedAs, flags, operation });
}

/** A command that sends a message: as `callCommand`, once for each idempotency key, and its answer is printed in one way. */
export function sendCommand<Name extends SendOperation>(
  operation: Name,
  call: Help & RequestInputs<Name>,
): Command.Class {
  const { inputs, ...typedAs } = inputsOf(operation, call);

  class OneSendCommand extends SendCommand {
    async run(): Promise<SendAnswer> {
      const typed = await this.parse(this.ctor);
      const request = await typedRequest(inputs, call, typed);
      const { 'idempotency-key': key } = typed.flags;
      const flags = {
        ...daemonFlags(typed.flags),
        'idempotency-key': typeof key === 'string' ? key : undefined,
      };
      return this.send(flags, (client, options) => client.callByName(operation, request, options));
    }
  }
  return Object.assign(OneSendCommand, { ...helpOf(call), ...typedAs, operation });
}

function helpOf({ summary, description, examples }: Help): Help {
  return { summary, description, examples: examples.map(exampleOf) };
}

/** The operations that answer how a send ended. */
type SendOperation = {
  [Name in OperationWithRequest]: AnswerOf<Name> extends SendAnswer ? Name : never;
}[OperationWithRequest];

async function print(output: Output, printed: Printed): Promise<void> {
  const parts: PrintedParts = typeof printed === 'string' ? { lines: [printed] } : printed;
  const { lines = [], fields, table, note } = parts;
  for (const line of lines) output.line(line);
  if (fields) output.fields(fields);
  if (table && table.rows.length === 0) output.note(table.none);
  else if (table) await output.table(table.head, table.rows);
  if (note) output.note(note);
}

const COMMAND = '<%= config.bin %> <%= command.id %>';

function exampleOf(example: string): string {
  return example.includes('…') ? example.replace('…', COMMAND) : `${COMMAND} ${example}`;
}
