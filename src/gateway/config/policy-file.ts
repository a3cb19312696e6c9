import { readFile } from 'node:fs/promises';
import Joi from 'joi';
import { formatJid, isChannel, parseRecipient } from '../../domain/address.js';
import { DAY_MS, type EpochMs } from '../../domain/clock.js';
import { durationMs } from '../../domain/duration.js';
import {
  type Gap,
  GENTLE,
  LOOK_UPS_PER_HOUR,
  POLICY_MODES,
  type Policy,
  type PolicyMode,
  type PolicyTable,
  type QuietHours,
} from '../../domain/policy/policy.js';
import { RULE_NAMES, type RuleName } from '../../domain/policy/rules.js';
import { ConfigError } from './load.js';

/** A send of an example, with the expected outcome. */
export interface ExampleSend {
  /** Milliseconds after the previous send. */
  afterMs: number;
  /** Name of a person; equal names mean the same person. */
  to: string;
  standing?: 'new' | 'unanswered' | 'running';
  text?: string;
  groupSize?: number;
  /** Whether it is already known that the recipient is on the network; default: `asked`, if the policy looks people up. */
  onWhatsApp?: 'known' | 'asked';
  times: number;
  expect: 'sent' | 'refused';
  rule?: RuleName;
}

/** An example beside a policy, which `switchboard policy test` runs. */
export interface PolicyExample {
  name: string;
  policy: string;
  /** Days since the number was linked. */
  linkedDays: number;
  /** Time of the first send. */
  startsAt: EpochMs;
  sends: ExampleSend[];
}

/** A parsed policy file. */
export interface PolicyFile extends PolicyTable {
  examples: readonly PolicyExample[];
}

/** The value of the setting for the built-in policy. */
const READY = 'gentle';
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;
/** An example without a time begins on a working day at noon, UTC. */
const EXAMPLE_STARTS = '2026-01-05T12:00:00Z';

/**
 * Loads the policies of the setting: `gentle`, or the path of a file.
 * @throws ConfigError with the file, the line, the field and its rule
 */
export async function loadPolicies(setting: string): Promise<PolicyFile | undefined> {
  if (setting === '') return undefined;
  if (setting === READY)
    return { ...NO_POLICIES, policies: new Map([[READY, GENTLE]]), default: READY, examples: [] };
  const text = await readFile(setting, 'utf8').catch((error: Error) => {
    throw new ConfigError(`--policy: ${setting} cannot be read: ${error.message}`);
  });
  return readPolicies(text, setting);
}

const NO_POLICIES: PolicyTable = { policies: new Map(), sessions: new Map(), orgs: new Map() };

/** @param path names the file in errors @throws ConfigError as `loadPolicies` */
export async function readPolicies(text: string, path: string): Promise<PolicyFile> {
  const { LineCounter, parseDocument, isMap, isNode, isScalar } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const fail = (offset: number, message: string): never => {
    throw new ConfigError(`${path}:${lines.linePos(offset).line || 1}: ${message}`);
  };
  const [wrong] = document.errors;
  if (wrong) return fail(wrong.pos[0], wrong.message);
  let content: unknown;
  try {
    content = document.toJS() ?? {};
  } catch (error) {
    // an error beside syntax, such as an alias without its anchor
    return fail(0, error instanceof Error ? error.message : String(error));
  }
  const { value, error } = fileSchema.validate(content, { errors: { wrap: { label: false } } });
  if (!error) return tableOf(value);
  const [detail] = error.details;
  // a missing field has no line: use that of its parent
  for (let at = [...(detail?.path ?? [])]; ; at = at.slice(0, -1)) {
    // a value in a block begins below its key
    const parent: unknown = document.getIn(at.slice(0, -1), true);
    const key = isMap(parent)
      ? parent.items
          .map((pair) => pair.key)
          .find((one) => isScalar(one) && String(one.value) === String(at.at(-1)))
      : undefined;
    const node: unknown = isScalar(key) ? key : document.getIn(at, true);
    if ((isNode(node) && node.range) || at.length === 0)
      return fail(isNode(node) ? (node.range?.[0] ?? 0) : 0, detail?.message ?? error.message);
  }
}

const whole = Joi.number().integer().min(0);
/** The maximum length is that of a workspace's id. */
const name = Joi.string().max(128);
/** The longest time span of a rule, because times of sends are kept for that long. */
const KEPT_MS = DAY_MS;

const duration = Joi.string()
  .custom((value: string, { message }) => {
    return durationMs(value) ?? message({ custom: '{#label} must be a time such as 30s, 5m, 2h or 1d' });
  })
  .messages({ 'string.base': '{#label} needs a unit: 30s, 5m, 2h or 1d' });

const within24h = duration.custom((value: number, { message }) =>
  value > KEPT_MS ? message({ custom: '{#label} must be 24h at most' }) : value,
);

/** A pause, written as `60s` or `60s to 3m`. */
const gap = Joi.string()
  .custom((value: string, { message }) => {
    const [min, max = min, rest] = value.split(/\s+to\s+/);
    const [shortest, longest] = [min, max].map((part) => duration.validate(part));
    const minMs: unknown = shortest?.value;
    const maxMs: unknown = longest?.value;
    return rest === undefined && typeof minMs === 'number' && typeof maxMs === 'number' && minMs <= maxMs
      ? ({ minMs, maxMs } satisfies Gap)
      : message({ custom: '{#label} must be a time such as 60s, or two such as 60s to 3m' });
  })
  .messages({ 'string.base': '{#label} needs a unit: 60s, or 60s to 3m' });

const timeOfDay = Joi.string().custom((value: string, { message }) => {
  const [, hour, minute] = TIME.exec(value) ?? [];
  return hour === undefined
    ? message({ custom: '{#label} must be a time of day such as "21:30"' })
    : Number(hour) * 60 + Number(minute);
});

const timeZone = Joi.string().custom((value: string, { message }) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) && value;
  } catch {
    return message({ custom: '{#label} must be the name of a time zone such as Europe/Berlin' });
  }
});

const address = Joi.string()
  .custom((value: string, { message }) => {
    if (isChannel(value)) return value;
    const found = parseRecipient(value);
    return found
      ? formatJid(found)
      : message({ custom: '{#label} must be a phone number with + and country code, a LID or a jid' });
  })
  .messages({ 'string.base': '{#label} must be in quotes: "+15550000002"' });

const stepsByAge = Joi.array()
  .items(Joi.object({ linkedDays: whole.required(), limit: whole.required() }))
  .min(1)
  .custom((value: { linkedDays: number }[], { message }) =>
    value[0]?.linkedDays === 0 &&
    value.every(({ linkedDays }, index) => index === 0 || linkedDays > (value[index - 1]?.linkedDays ?? 0))
      ? value
      : message({ custom: '{#label} must name ages from 0 days on, from young to old' }),
  );

/** A policy of the file, after the schema has converted durations to milliseconds and times of day to minutes. */
interface WrittenPolicy
  extends Omit<Policy, 'name' | 'mode' | 'newChatsPerDay' | 'quietHours' | 'sameText' | 'lookUpFirst'> {
  mode?: PolicyMode;
  newChatsPerDay?: number;
  newChatsByAge?: { linkedDays: number; limit: number }[];
  quietHours?: { from: number; to: number; timeZone: string; holds: QuietHours['holds'] };
  sameText?: { people: number; within: number };
  lookUpFirst?: boolean | { perHour: number };
}

const policySchema = Joi.object<WrittenPolicy>({
  mode: Joi.valid(...POLICY_MODES),
  newChatsPerDay: whole,
  newChatsByAge: stepsByAge,
  newChatGap: gap,
  samePersonGap: gap,
  messagesPerHour: whole,
  messagesPerDay: whole,
  quietHours: Joi.object({
    from: timeOfDay.required(),
    to: timeOfDay.required(),
    timeZone: timeZone.required(),
    holds: Joi.valid('new chats', 'all messages').default('new chats'),
  }).custom((value: { from: number; to: number }, { message }) =>
    value.from === value.to ? message({ custom: '{#label} must begin and end at different times' }) : value,
  ),
  onlyWhoWrote: Joi.boolean(),
  allow: Joi.array().items(address),
  deny: Joi.array().items(address),
  largestGroup: whole,
  stopAtWarning: Joi.boolean(),
  sameText: Joi.object({ people: whole.required(), within: within24h.required() }),
  lookUpFirst: Joi.alternatives(Joi.boolean(), Joi.object({ perHour: whole.required() })),
}).oxor('newChatsPerDay', 'newChatsByAge');

const names = Joi.object<Record<string, string>>().pattern(name, knownPolicy());

interface WrittenExample {
  name: string;
  policy: string;
  linkedDays: number;
  startsAt: Date;
  sends: (Omit<ExampleSend, 'afterMs' | 'expect'> & { after: number; expect?: ExampleSend['expect'] })[];
}

const exampleSchema = Joi.object<WrittenExample>({
  name: Joi.string().required(),
  policy: knownPolicy().required(),
  linkedDays: whole.default(0),
  startsAt: Joi.date().iso().default(new Date(EXAMPLE_STARTS)),
  sends: Joi.array()
    .items(
      Joi.object({
        after: duration.default(0),
        to: Joi.string().required(),
        standing: Joi.valid('new', 'unanswered', 'running'),
        text: Joi.string(),
        groupSize: whole,
        onWhatsApp: Joi.valid('known', 'asked'),
        times: whole.min(1).default(1),
        expect: Joi.valid('sent', 'refused'),
        rule: Joi.valid(...RULE_NAMES),
      }),
    )
    .min(1)
    .required(),
});

interface WrittenFile {
  mode: PolicyMode;
  default?: string;
  policies: Record<string, WrittenPolicy>;
  sessions: Record<string, string>;
  orgs: Record<string, string>;
  examples: WrittenExample[];
}

const fileSchema = Joi.object<WrittenFile>({
  mode: Joi.valid(...POLICY_MODES).default('observe'),
  default: knownPolicy(),
  policies: Joi.object().pattern(name, policySchema).default({}),
  sessions: names.default({}),
  orgs: names.default({}),
  examples: Joi.array().items(exampleSchema).default([]),
});

/** The name of a policy of the file, or of the built-in one. */
function knownPolicy(): Joi.StringSchema {
  return name.custom((value: string, { message, state }) => {
    const file: unknown = state.ancestors.at(-1);
    const written = typeof file === 'object' && file !== null && 'policies' in file ? file.policies : {};
    const isKnown = value === READY || (typeof written === 'object' && Object.hasOwn(written ?? {}, value));
    return isKnown
      ? value
      : message({ custom: `{#label} names the policy "${value}", which the file does not have` });
  });
}

function tableOf(file: WrittenFile): PolicyFile {
  const policies = new Map([[READY, { ...GENTLE, mode: file.mode }]]);
  for (const [policyName, written] of Object.entries(file.policies))
    policies.set(policyName, policyFrom(policyName, written, file.mode));
  return {
    policies,
    sessions: new Map(Object.entries(file.sessions)),
    orgs: new Map(Object.entries(file.orgs)),
    default: file.default,
    examples: file.examples.map(({ startsAt, sends, ...example }) => ({
      ...example,
      startsAt: startsAt.getTime(),
      sends: sends.map(({ after, rule, expect = rule ? 'refused' : 'sent', ...send }) => ({
        ...send,
        rule,
        afterMs: after,
        expect,
      })),
    })),
  };
}

function policyFrom(policyName: string, written: WrittenPolicy, mode: PolicyMode): Policy {
  const { newChatsPerDay, newChatsByAge, quietHours, sameText, lookUpFirst, ...rest } = written;
  const steps = newChatsPerDay === undefined ? newChatsByAge : [{ linkedDays: 0, limit: newChatsPerDay }];
  return {
    mode,
    ...rest,
    name: policyName,
    newChatsPerDay: steps,
    quietHours: quietHours && {
      fromMinute: quietHours.from,
      toMinute: quietHours.to,
      timeZone: quietHours.timeZone,
      holds: quietHours.holds,
    },
    sameText: sameText && { people: sameText.people, withinMs: sameText.within },
    lookUpFirst: lookUpFirst === true ? { perHour: LOOK_UPS_PER_HOUR } : lookUpFirst || undefined,
  };
}
