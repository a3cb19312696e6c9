import type { Schema } from 'joi';
import { envelopeFields } from '../fields.js';
import { HELD, sendAnswer, sendHeaders, sentFields } from '../messages.js';
import type { Operation } from '../operation.js';
import { reasonFields, record, time, timeOrEmpty } from '../schema.js';
import { sessionStatus } from '../sessions.js';
import {
  type Described,
  described,
  type Field,
  fieldsOf,
  inWords,
  type Listed,
  placeOf,
  shapeOf,
} from './field-words.js';

/** What the page of the API says of an operation. */
export interface OperationWords {
  /** What it does. */
  what: string;
  inputs: Field[];
  /** The parts of the form that it also takes; otherwise empty. */
  form: Field[];
  /** Which of the inputs are needed together; otherwise empty. */
  needed: string;
  answer: string;
  /** The fields of the answer that say more than their names. */
  answered: Field[];
}

/** The meanings that the page says once, in its own words. */
const SAID_ONCE: readonly string[] = [
  time,
  timeOrEmpty,
  sessionStatus,
  reasonFields.reasonCode,
  reasonFields.reasonValues,
  reasonFields.advice,
].map((schema) => described(schema).flags?.description ?? '');
/** The fields that ✉ stands for. */
const OF_ENVELOPE = ['quotedMessageId', 'mentions', 'metaData', 'whenAllowed'] as const;
/** Fields of every send's answer that the page describes once. */
const OF_EVERY_SEND = Object.keys(sentFields).filter((name) => !['status', 'messageId'].includes(name));
const YES_OR_NO = '`true` or `false`';
const NEEDS = { master: 'Needs the master token', open: 'Needs no token', token: '' } as const;

export function wordsFor(operation: Operation, listed: Listed): OperationWords {
  const { summary, description = '', access = 'token', body, form } = operation;
  const inputs = inputsOf(operation, listed);
  const isSaid = inputs.map(({ meaning }) => meaning);
  const { answer, answered } = answerOf(operation, listed);
  return {
    what: sentences(summary, description, NEEDS[access]),
    inputs,
    form: form ? rowsOf(form.schema, listed) : [],
    needed: neededOf(body),
    answer,
    answered: answered.filter(({ meaning, rules }) => !isSaid.includes(meaning) || rules.length > 0),
  };
}

/** What the routes marked with ✉ take, and what every send takes and answers. */
export function everySend(listed: Listed) {
  const marked = OF_ENVELOPE.map((name) => [name, envelopeFields[name].optional()]);
  const answer = record(sentFields);
  return {
    marked: rowsOf(record(Object.fromEntries(marked)), listed),
    headers: rowsOf(sendHeaders, listed, 'header '),
    answer: sentences(`Answer: ${shapeOf(described(answer))}`, `202: ${HELD[202]}`),
    answered: answersOf(answer, listed),
  };
}

/** Sentences of a paragraph, each with its full stop. */
function sentences(...parts: readonly string[]): string {
  return parts
    .filter((words) => words !== '')
    .map((words) => (/[.!?)]$/.test(words) ? words : `${words}.`))
    .join(' ');
}

/** Says that a request needs one of several fields. */
function neededOf(body: Operation['body']): string {
  const { dependencies = [] } = body ? described(body) : {};
  const peers = dependencies.find(({ rel }) => rel === 'or')?.peers.map((name) => `\`${name}\``);
  return peers ? `At least one of ${inWords(peers, 'and')} is required.` : '';
}

function rowsOf(schema: Schema | undefined, listed: Listed, where = ''): Field[] {
  return (schema ? fieldsOf(described(schema), listed) : []).map(({ path, label, ...field }) => ({
    ...field,
    label,
    path: `${where}\`${label || path}\``,
  }));
}

/** What a request takes. Parts of a path and headers are listed if they say more than their names. */
function inputsOf({ method, query, params, headers, body }: Operation, listed: Listed): Field[] {
  const isSend = headers === sendHeaders;
  const inBody = rowsOf(body, listed);
  const isMarked = isSend && inBody.some(({ path }) => path === '`mentions`');
  return [
    ...rowsOf(params, listed).filter(({ meaning }) => meaning !== ''),
    ...rowsOf(query, listed, method === 'POST' ? 'query ' : ''),
    ...(isSend ? [] : rowsOf(headers, listed, 'header ').filter(({ meaning }) => meaning !== '')),
    ...inBody.filter(({ path }) => !isMarked || !OF_ENVELOPE.some((name) => path === `\`${name}\``)),
  ];
}

function answerOf(operation: Operation, listed: Listed): { answer: string; answered: Field[] } {
  const { answer, example, alsoAnswers = {} } = operation;
  const isSend = alsoAnswers === HELD || answer === sendAnswer;
  const others = isSend ? [] : Object.entries(alsoAnswers).map(([status, words]) => `${status}: ${words}`);
  if (typeof answer === 'string') {
    const type = answer === '*/*' ? 'a file' : `\`${answer}\``;
    return { answer: sentences(`Answer: ${type}`, ...others), answered: [] };
  }
  // the page describes these fields once, and the status with them
  const withoutTarget = answer === sendAnswer && !('targetId' in (example ?? {}));
  const hidden = [...(isSend ? OF_EVERY_SEND : []), ...(withoutTarget ? ['targetId'] : [])];
  const isShown = ({ path }: Field) => !isSend || ![...hidden, 'status'].includes(path.replaceAll('`', ''));
  const place = isSend ? undefined : placeOf(described(answer), listed);
  return {
    answer: sentences(
      `Answer: ${shapeOf(isSend ? withPresent(described(answer), example) : described(answer), hidden)}${place ? `, as of ${place}` : ''}`,
      ...others,
    ),
    answered: place ? [] : answersOf(answer, listed).filter(isShown),
  };
}

/** A send that names an earlier message always answers with its id, as its example does. */
function withPresent(answer: Described, example: object = {}): Described {
  const { targetId } = answer.keys ?? {};
  if (!targetId || !('targetId' in example)) return answer;
  const flags = { ...targetId.flags, presence: 'required' };
  return { ...answer, keys: { ...answer.keys, targetId: { ...targetId, flags } } };
}

function answersOf(answer: Schema, listed: Listed): Field[] {
  const options: Described[] = (described(answer).matches ?? []).flatMap(({ schema }) => schema ?? []);
  const fields = (options.length > 0 ? options : [described(answer)]).flatMap((option) =>
    fieldsOf(option, listed),
  );
  return fields.flatMap(({ path, rules, meaning, ...field }) => {
    // of the rules of an answer, only the values that it may have are of use
    const values = rules.filter(
      (rule) => rule.startsWith('`') && rule.includes('` or `') && rule !== YES_OR_NO,
    );
    if (SAID_ONCE.includes(meaning) || (meaning === '' && values.length === 0)) return [];
    return [{ ...field, meaning, path: `\`${path}\``, rules: values }];
  });
}
