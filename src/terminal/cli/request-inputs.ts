import { Args, Flags, type Interfaces } from '@oclif/core';
import type { OperationName, RequestOf } from '../../client/generated/operations.generated.js';
import { REQUESTS, type RequestField } from '../../client/generated/requests.generated.js';
import { parseObject } from '../../domain/json.js';
import { CliError } from './errors.js';
import { FIELD_WORDS, MESSAGE_FLAGS, type MessageFlag } from './flags.js';

/** An operation that takes a request. */
export type OperationWithRequest = OperationName & keyof typeof REQUESTS;

/** The name of a field of the request of an operation. */
export type FieldOf<Name extends OperationWithRequest> = keyof RequestOf<Name> & string;

/** How the request of an operation is typed. Its fields are arguments and flags by the contract, unless said otherwise. */
export interface RequestInputs<Name extends OperationWithRequest> {
  /** The fields that are arguments, in their order; the last one may be a list. All others are flags. */
  args: readonly FieldOf<Name>[];
  /** Fields whose value is the sense of the command. */
  fixed?: Partial<RequestOf<Name>>;
  /** Other names of arguments and flags than those of the fields. */
  names?: Partial<Record<FieldOf<Name>, string>>;
  /** Descriptions in place of the contract's. */
  words?: Partial<Record<FieldOf<Name>, string>>;
  /** The command offers no field but its arguments. */
  onlyArgs?: true;
  /** Fields for which one of these words is typed. */
  choices?: Partial<Record<FieldOf<Name>, Choices>>;
  /** Flags that set fields, by their names. */
  switches?: Readonly<Record<string, { words: string; sets: Partial<RequestOf<Name>> }>>;
  /** A text that may be read from standard input. */
  stdin?: FieldOf<Name>;
}

/** Values of a field by the words for them. */
export interface Choices {
  values: Readonly<Record<string, string | number | boolean>>;
  /** The word that an absent flag stands for. */
  default?: string;
}

/** For a command that turns something on or off. */
export const ENABLED_AS_STATE = {
  names: { enabled: 'state' },
  words: { enabled: 'new state' },
  choices: { enabled: { values: { on: true, off: false } } },
};

/** A field with all that is said of it. */
interface Input {
  field: string;
  /** As it is typed. */
  name: string;
  schema: RequestField;
  description: string;
  choices: Choices | undefined;
  ofMessage: MessageFlag | undefined;
}

/** Arguments and flags for the request of an operation. */
export function inputsOf<Name extends OperationWithRequest>(
  operation: Name,
  how: RequestInputs<Name>,
): { inputs: Input[]; args: Interfaces.ArgInput; flags: Interfaces.FlagInput; strict: boolean } {
  const inputs = inputsIn(operation, how);
  const args = how.args.flatMap((name) => inputs.filter(({ field }) => field === name));
  const flags = inputs.filter((input) => !args.includes(input));
  const switches = Object.entries(how.switches ?? {});
  return {
    inputs,
    args: Object.fromEntries(args.map((input) => [input.name, argOf(input)])),
    flags: {
      ...Object.fromEntries(flags.map((input) => [kebab(input.name), flagOf(input)])),
      ...Object.fromEntries(
        switches.map(([name, { words }]) => [name, Flags.boolean({ description: words })]),
      ),
    },
    strict: args.at(-1)?.schema.type !== 'list',
  };
}

/** What was typed. */
export interface Typed {
  args: Readonly<Record<string, unknown>>;
  flags: Readonly<Record<string, unknown>>;
  argv: readonly unknown[];
}

/** The request that was typed; the daemon checks it. @throws CliError `usage` */
export async function typedRequest<Name extends OperationWithRequest>(
  inputs: readonly Input[],
  how: RequestInputs<Name>,
  { args, flags, argv }: Typed,
): Promise<Record<string, unknown>> {
  const order: readonly string[] = how.args;
  const request: Record<string, unknown> = { ...how.fixed };
  for (const [name, { sets }] of Object.entries(how.switches ?? {})) {
    if (flags[name] === true) Object.assign(request, sets);
  }
  for (const input of inputs) {
    const { field, name, schema } = input;
    const at = order.indexOf(field);
    const given = at < 0 ? flags[kebab(name)] : schema.type === 'list' ? argv.slice(at) : args[name];
    request[field] = await typedValue(input, given ?? schema.default, how.stdin === field);
  }
  return request;
}

async function typedValue(
  { name, schema, choices }: Input,
  given: unknown,
  isStdin: boolean,
): Promise<unknown> {
  if (typeof given !== 'string') return given;
  if (choices) return choices.values[given];
  if (schema.type === 'object') return objectIn(name, given);
  if (!isStdin) return given;
  const { readArgument } = await import('./terminal.js');
  return readArgument(given);
}

/** The value of a flag that takes a JSON object. @throws CliError `usage` */
export function objectIn(name: string, text: string): Record<string, unknown> {
  const value = parseObject(text);
  if (value) return value;
  throw new CliError('usage', `--${name} must be a JSON object`, {
    suggestions: [`such as --${name} '{"fromAI": true}'`],
  });
}

/** The fields that a command offers. */
function inputsIn<Name extends OperationWithRequest>(operation: Name, inputs: RequestInputs<Name>): Input[] {
  const { args, fixed = {}, onlyArgs } = inputs;
  const fields: Readonly<Record<string, RequestField>> = REQUESTS[operation];
  // by any field of the contract, not only by those that were named
  const names: Readonly<Record<string, string | undefined>> = { ...inputs.names };
  const words: Readonly<Record<string, string | undefined>> = { ...inputs.words };
  const shared: Readonly<Record<string, string | undefined>> = FIELD_WORDS;
  const ofMessages: Readonly<Record<string, MessageFlag | undefined>> = MESSAGE_FLAGS;
  const choices: Readonly<Record<string, Choices | undefined>> = { ...inputs.choices };
  const isArg = (field: string) => args.some((name) => name === field);
  return Object.entries(fields)
    .filter(([field, { type }]) => {
      const canBeTyped = type !== 'other' || choices[field] !== undefined;
      return isArg(field) || (!onlyArgs && !(field in fixed) && canBeTyped);
    })
    .map(([field, schema]) => ({
      field,
      name: names[field] ?? (isArg(field) ? field : (ofMessages[field]?.name ?? field)),
      schema,
      description: words[field] ?? ofMessages[field]?.words ?? shared[field] ?? schema.description ?? '',
      choices: choices[field],
      ofMessage: ofMessages[field],
    }));
}

function argOf({ schema, description, choices }: Input): Interfaces.ArgInput[string] {
  const { required = false, type, min, max } = schema;
  const common = { required, description };
  if (type === 'integer') return Args.integer({ ...common, min, max });
  return Args.string({ ...common, options: optionsOf(schema, choices) });
}

function flagOf({ schema, description, choices, ofMessage }: Input): Interfaces.FlagInput[string] {
  const { type, required = false, default: value, min, max } = schema;
  const helpGroup = ofMessage && 'MESSAGE';
  const common = { description, required, helpGroup, helpValue: ofMessage?.value };
  const options = optionsOf(schema, choices);
  if (choices) return Flags.string({ ...common, options, default: choices.default });
  // without a default, no differs from nothing
  if (type === 'flag') return Flags.boolean({ ...common, allowNo: value === undefined && !ofMessage });
  if (type === 'integer') {
    return Flags.integer({ ...common, min, max, default: typeof value === 'number' ? value : undefined });
  }
  if (type === 'list') return Flags.string({ ...common, multiple: true, multipleNonGreedy: true });
  return Flags.string({ ...common, options, default: typeof value === 'string' ? value : undefined });
}

function optionsOf({ options }: RequestField, choices: Choices | undefined): string[] | undefined {
  if (choices) return Object.keys(choices.values);
  return options && [...options];
}

/** `quotedMessageId` as `quoted-message-id`. */
function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
