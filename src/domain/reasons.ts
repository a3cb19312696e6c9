import { formerReason } from './former-reasons.js';
import { isObject, parseObject } from './json.js';
import { CALLS, type Call, REASONS, type Words } from './reason-table.js';

export type ReasonCode = keyof typeof REASONS;

/** A value in the words of a reason: a text, or another reason. */
export type ReasonValue = string | Reason;

/**
 * Why something is as it is, as data: a row of `REASONS`, and the values for its words. Programs read the code; each door
 * makes the words for people: `textOf` with the names that its users know.
 */
export interface Reason {
  readonly code: ReasonCode;
  readonly values: Readonly<Record<string, ReasonValue>>;
}

/** A call that helps, as an agent can make it. */
export interface Advice {
  /** Name of the operation in the contract. */
  operation: Call;
  arguments: Record<string, string>;
}

/** How a door names the calls of the gateway. */
export interface Door {
  /** The imperative before a name, such as `call`. */
  verb: string;
  name(call: Call): string;
  /** The door has own words for some reasons. */
  isTerminal?: true;
}

type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${'call' | 'Call' | 'name'} ${string}` ? never : Name) | Names<Rest>
  : never;
type TextsOf<W> = W extends string ? W : W extends Words ? Extract<W[keyof W], string> : never;
type ValuesIn<W> = Readonly<Record<Names<TextsOf<W>>, ReasonValue>>;
type Row<C extends ReasonCode> = (typeof REASONS)[C];
export type ValuesOf<C extends ReasonCode> =
  Row<C> extends { kinds: infer Kinds }
    ? { [K in keyof Kinds]: ValuesIn<Kinds[K]> & { kind: K } }[keyof Kinds]
    : ValuesIn<Row<C>>;

/** The kinds of a reason that has some. */
export type KindOf<C extends ReasonCode> = Row<C> extends { kinds: infer Kinds } ? keyof Kinds : never;

/** A reason of the table with exactly the values that its words name. */
export function reason<C extends ReasonCode>(
  code: C,
  ...[values]: Record<never, never> extends ValuesOf<C> ? [] : [values: ValuesOf<C>]
): Reason & { code: C } {
  return { code, values: { ...values } };
}

const API: Door = { verb: 'call', name: (call) => CALLS[call] };

/** A reason in the words of the HTTP API, or of another door. */
export function textOf(reason: Reason, door: Door = API): string {
  const { says, advice = '', terminal } = wordsOf(reason);
  const own = door.isTerminal && terminal !== undefined ? terminal : [says, advice].filter(Boolean).join(' ');
  return filled(own, reason, door);
}

/** A reason in words, without the advice for operators: for the owner of the number. */
export function ownersTextOf(reason: Reason): string {
  return filled(wordsOf(reason).says, reason, API);
}

/** The calls that the words of a reason name, in their order. */
export function adviceOf(reason: Reason, clientId?: string): Advice[] {
  const { clientId: own = clientId } = reason.values;
  const named: Record<string, string> = typeof own === 'string' ? { clientId: own } : {};
  const calls = placeholdersIn(reason).flatMap((name): Advice[] => {
    const call = callIn(name);
    if (call) return [{ operation: call, arguments: named }];
    const value = reason.values[name];
    return typeof value === 'object' ? adviceOf(value, named.clientId) : [];
  });
  return calls.filter(({ operation }, at) => calls.findIndex((one) => one.operation === operation) === at);
}

/** A reason as the HTTP API and the events carry it: in words, and as data. */
export interface ReasonFields {
  /** For people; empty for no reason. */
  reason: string;
  /** A code of this release, or of a later one. */
  reasonCode?: string;
  reasonValues?: Record<string, unknown>;
  /** Calls that help; absent if none does. */
  advice?: { operation: string; arguments: Record<string, unknown> }[];
}

/** @param clientId the session of the reason, if its values do not name one */
export function toFields(reason: Reason | undefined, clientId?: string): ReasonFields {
  return reason ? { reason: textOf(reason), ...toData(reason, clientId) } : { reason: '' };
}

/** A reason as data alone, for a door that carries its words elsewhere. */
export function toData(reason: Reason, clientId?: string): Omit<ReasonFields, 'reason'> {
  const advice = adviceOf(reason, clientId);
  return {
    reasonCode: reason.code,
    reasonValues: { ...reason.values },
    advice: advice.length > 0 ? advice : undefined,
  };
}

/** The text that a store keeps: JSON, which people can read too; empty for no reason. */
export function writeReason(reason: Reason | undefined): string {
  return reason ? JSON.stringify(reason) : '';
}

/** Both say the same. */
export function sameReason(one: Reason, other: Reason | undefined): boolean {
  return writeReason(one) === writeReason(other);
}

/** Reads what `writeReason` wrote, or the words that an earlier release kept. */
export function readReason(stored: string): Reason | undefined {
  if (stored === '') return undefined;
  const { code, values } = parseObject(stored) ?? {};
  return reasonFrom(code, values) ?? formerReason(stored);
}

/** A reason from outside; undefined for a code that this release does not know, or values that do not fit its words. */
export function reasonFrom(code: unknown, values: unknown = {}): Reason | undefined {
  if (typeof code !== 'string' || !isCode(code) || !isObject(values)) return undefined;
  const read: Record<string, ReasonValue> = {};
  for (const [name, value] of Object.entries(values)) {
    const nested = isObject(value) ? reasonFrom(value.code, value.values) : undefined;
    const known = typeof value === 'string' ? value : nested;
    if (known === undefined) return undefined;
    read[name] = known;
  }
  const found = { code, values: read };
  return isWhole(found) ? found : undefined;
}

/** Every reason of the table, of every kind. @param fill the value that stands for a name */
export function everyReason(fill: (name: string) => string): Reason[] {
  return Object.keys(REASONS)
    .filter(isCode)
    .flatMap((code) => {
      const row: Words | { kinds: Readonly<Record<string, Words>> } = REASONS[code];
      const kinds = typeof row === 'object' && 'kinds' in row ? Object.keys(row.kinds) : [undefined];
      return kinds.map((kind) => {
        const values: Record<string, string> = kind === undefined ? {} : { kind };
        for (const name of namesIn({ code, values })) values[name] = fill(name);
        return { code, values };
      });
    });
}

const PLACEHOLDER = /\{([^{}]+)\}/g;

/** Puts values and the names of calls into a text. */
function filled(text: string, { values }: Reason, door: Door): string {
  return text.replace(PLACEHOLDER, (_, name: string) => {
    const call = callIn(name);
    if (!call) return valueText(values[name], door);
    const verb = name.startsWith('Call')
      ? door.verb.replace(/^./, (letter) => letter.toUpperCase())
      : door.verb;
    return name.startsWith('name') ? door.name(call) : `${verb} ${door.name(call)}`;
  });
}

function valueText(value: ReasonValue | undefined, door: Door): string {
  return value === undefined || typeof value === 'string' ? (value ?? '') : textOf(value, door);
}

/** The call of a placeholder such as `call start`. */
function callIn(name: string): Call | undefined {
  const [, call = ''] = /^(?:call|Call|name) (\w+)$/.exec(name) ?? [];
  return isCall(call) ? call : undefined;
}

function wordsOf({ code, values: { kind } }: Reason): { says: string; advice?: string; terminal?: string } {
  const row: Words | { kinds: Readonly<Record<string, Words>> } = REASONS[code];
  const words = typeof row === 'object' && 'kinds' in row ? ownValue(row.kinds, kind) : row;
  return typeof words === 'object' ? words : { says: words ?? '' };
}

function ownValue(kinds: Readonly<Record<string, Words>>, kind: ReasonValue | undefined): Words | undefined {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
}

/** True if the reason has words, and every value that they name. */
function isWhole(reason: Reason): boolean {
  return wordsOf(reason).says !== '' && namesIn(reason).every((name) => Object.hasOwn(reason.values, name));
}

/** The names of the values in the words of a reason. */
function namesIn(reason: Reason): string[] {
  return placeholdersIn(reason).filter((name) => callIn(name) === undefined);
}

/** The placeholders in the words of a reason: names of values, and calls. */
function placeholdersIn(reason: Reason): string[] {
  const { says, advice = '' } = wordsOf(reason);
  return [...`${says} ${advice}`.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

function isCode(text: string): text is ReasonCode {
  return Object.hasOwn(REASONS, text);
}

function isCall(text: string): text is Call {
  return Object.hasOwn(CALLS, text);
}
