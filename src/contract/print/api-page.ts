import { isDeepStrictEqual } from 'node:util';
import type { Schema } from 'joi';
import { envelopeFields } from '../fields.js';
import { CONTRACT } from '../index.js';
import { HELD, sendAnswer, sendHeaders, sentFields } from '../messages.js';
import type { Operation } from '../operation.js';
import { clientQuery, reasonFields, record, time } from '../schema.js';
import { sessionStatus } from '../sessions.js';
import { type Described, described, type Field, fieldsOf, listed, shapeOf } from './field-words.js';

const OPERATIONS = new Map(CONTRACT.flatMap(({ operations }) => Object.entries(operations)));

/** A printed part of the page: the marker names the operations, or the fields of every send. */
const BLOCK = /(<!-- printed from the contract: ([^>]*?) -->\n)[\s\S]*?(<!-- end of the printed part -->)/g;
const EVERY_SEND = 'what every send takes and answers';

/** The meanings that the page says once, in its own words. */
const SAID_ONCE: readonly string[] = [
  time,
  sessionStatus,
  reasonFields.reasonCode,
  reasonFields.reasonValues,
  reasonFields.advice,
].map(meaningOf);
/** The fields of every send's answer that the page describes once. */
const OF_EVERY_SEND = Object.keys(sentFields).filter((name) => !['status', 'messageId'].includes(name));
/** The fields that ✉ stands for. */
const OF_ENVELOPE = ['quotedMessageId', 'mentions', 'metaData', 'whenAllowed'] as const;
/** Media types that say something to a reader. */
const FILE_TYPES: Readonly<Record<string, string>> = { '*/*': 'a file' };

/** The page with its printed parts as the contract has them. @throws Error that names an unknown operation */
export function apiPage(page: string): string {
  return page.replace(BLOCK, (_, begin: string, names: string, end: string, at: number) => {
    const [heading = ''] =
      page
        .slice(0, at)
        .match(/^#+ .*$/gm)
        ?.slice(-1) ?? [];
    return `${begin}${printed(names.trim(), heading)}\n${end}`;
  });
}

/** The ids of the operations in the printed parts of a page. */
export function operationsOn(page: string): string[] {
  return [...page.matchAll(BLOCK)].flatMap(([, , names = '']) =>
    names === EVERY_SEND ? [] : names.trim().split(/\s+/),
  );
}

function printed(names: string, heading: string): string {
  if (names === EVERY_SEND) return everySend();
  const operations = names.split(/\s+/).map(operationCalled);
  const [only, ...more] = operations;
  if (only && more.length === 0) return section(only, heading);
  return table(['route', 'input', 'answer'], operations.map(row));
}

function operationCalled(id: string): Operation {
  const operation = OPERATIONS.get(id);
  if (!operation) throw new Error(`docs/api.md: the contract has no operation ${id}`);
  return operation;
}

function meaningOf(schema: Schema): string {
  return described(schema).flags?.description ?? '';
}

/** What the routes marked with ✉ take, and what every send answers. */
function everySend(): string {
  const shared = record(
    Object.fromEntries(OF_ENVELOPE.map((name) => [name, envelopeFields[name].optional()])),
  );
  return [
    'Routes marked with ✉ also take:',
    inputTable(inputsOf({ body: shared })),
    'Every send takes the header:',
    inputTable(inputsOf({ headers: sendHeaders })),
    `Answer: ${shapeOf(described(record(sentFields)))}. ${sentence(`202: ${HELD[202]}`)}`,
    answerTable(answersOf(record(sentFields))),
  ].join('\n\n');
}

/** One operation with a line for each field. */
function section(operation: Operation, heading: string): string {
  const { form } = operation;
  const { answer, fields } = answerOf(operation);
  return [
    `${anchorOf(operation, heading)}\`${operation.method} ${routeOf(operation)}\`: ${wordsOf(operation)}`,
    inputTable(inputsOf(operation)),
    ...(form ? ['Or a form (`multipart/form-data`):', inputTable(inputsOf({ body: form.schema }))] : []),
    ...[peersOf(operation), answer].filter((line) => line !== ''),
    answerTable(fields),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** One operation as a row of a table. */
function row(operation: Operation): string[] {
  const { answer, fields } = answerOf(operation);
  const inputs = inputsOf(operation).map(({ path, isOptional, rules, meaning }) => {
    const facts =
      isOptional && !rules.some((rule) => rule.startsWith('default')) ? ['optional', ...rules] : rules;
    const name = facts.length > 0 ? `${path} (${facts.join('; ')})` : path;
    return { name, meaning };
  });
  return [
    `${anchorOf(operation)}\`${operation.method} ${routeOf(operation)}\``,
    lines(inputs.map(({ name, meaning }) => (meaning === '' ? name : `${name}: ${meaning}`))),
    lines([
      wordsOf(operation),
      peersOf(operation),
      answer,
      ...merged(fields).map(
        ({ path, meaning, rules }) => `${path}: ${[...rules, meaning].filter(Boolean).join('. ')}`,
      ),
    ]),
  ];
}

/** The place that links name, unless the heading above is one. */
function anchorOf({ method, path }: Operation, heading = ''): string {
  if (heading.includes(`${path}\``)) return '';
  const words = path.match(/[a-z-]+/gi) ?? [];
  return `<a id="${[method.toLowerCase(), ...words].join('-')}"></a>`;
}

function routeOf({ path }: Operation): string {
  return path.replace('?}', '}');
}

function wordsOf({ summary, description = '', access }: Operation): string {
  const needs = { master: 'Needs the master token', open: 'Needs no token', token: '' }[access ?? 'token'];
  return [summary, description, needs]
    .filter((words) => words !== '')
    .map(sentence)
    .join(' ');
}

function sentence(words: string): string {
  return /[.!?)]$/.test(words) ? words : `${words}.`;
}

function peersOf({ body }: Operation): string {
  const { dependencies = [] } = body ? described(body) : {};
  const [needed] = dependencies.filter(({ rel }) => rel === 'or');
  return needed ? `At least one of ${listed(needed.peers.map((name) => `\`${name}\``))} is required.` : '';
}

/** What a request takes. A path's own parameters are listed if they say more than their name. */
function inputsOf(
  of: Pick<Operation, 'query' | 'params' | 'headers' | 'body'> & Partial<Operation>,
): Field[] {
  const { method, query = method === 'GET' ? clientQuery : undefined, params, headers, body } = of;
  const isSend = headers === sendHeaders && of.path !== undefined;
  const isMarked = isSend && body !== undefined && 'mentions' in (described(body).keys ?? {});
  const from = (schema: Schema | undefined, where: string) =>
    (schema ? fieldsOf(described(schema)) : []).map((field) => ({
      ...field,
      path: `${where}\`${field.path}\``,
    }));
  return [
    ...from(params, '').filter(({ rules, meaning }) => rules.length > 0 || meaning !== ''),
    ...from(query, method === 'POST' ? 'query ' : ''),
    ...(isSend ? [] : from(headers, 'header ')),
    ...from(body, '').filter(({ path }) => !isMarked || !OF_ENVELOPE.some((name) => path === `\`${name}\``)),
  ];
}

/** The answer in a line, and its fields that need words. */
function answerOf({ answer, example, alsoAnswers = {} }: Operation): { answer: string; fields: Field[] } {
  const others = Object.entries(alsoAnswers)
    .filter(() => alsoAnswers !== HELD)
    .map(([status, words]) => sentence(`${status}: ${words}`));
  if (typeof answer === 'string') {
    const type = FILE_TYPES[answer] ?? `\`${answer}\``;
    return { answer: [`Answer: ${type}.`, ...others].join(' '), fields: [] };
  }
  const ofSend = 'allowedAt' in (described(answer).keys ?? {}) ? OF_EVERY_SEND : [];
  const withoutTarget = answer === sendAnswer && !('targetId' in (example ?? {}));
  const hidden = withoutTarget ? [...ofSend, 'targetId'] : ofSend;
  const fields = answersOf(answer).filter(
    ({ path }) => ofSend.length === 0 || ![...hidden, 'status'].includes(path.replaceAll('`', '')),
  );
  return { answer: [`Answer: ${shapeOf(described(answer), hidden)}.`, ...others].join(' '), fields };
}

/** The fields of an answer that say more than their names. */
function answersOf(answer: Schema): Field[] {
  const schemas: Described[] = (described(answer).matches ?? []).flatMap(({ schema }) => schema ?? []);
  return (schemas.length > 0 ? schemas : [described(answer)]).flatMap((schema) => {
    const fields = fieldsOf(schema).filter(({ meaning }) => meaning !== '' && !SAID_ONCE.includes(meaning));
    return fields.map(({ path, rules, ...field }) => ({
      ...field,
      path: `\`${path}\``,
      rules: rules.filter((rule) => rule.startsWith('`') && rule !== '`true` or `false`'),
    }));
  });
}

function inputTable(fields: readonly Field[]): string {
  const rows = merged(fields).map(({ path, of, isOptional, rules, meaning }) => [
    [path, of].filter((words) => words !== '').join(' '),
    [...(isOptional ? [] : ['required']), ...rules].join('; '),
    meaning,
  ]);
  return rows.length > 0 ? table(['field', '', ''], rows) : '';
}

function answerTable(fields: readonly Field[]): string {
  const rows = merged(fields).map(({ path, rules, meaning }) => [path, [...rules, meaning].join('. ')]);
  return rows.length > 0 ? table(['field of the answer', ''], rows) : '';
}

/** Fields that stand side by side and say the same share a line. */
function merged(fields: readonly Field[]): Field[] {
  const found: Field[] = [];
  for (const field of fields) {
    const last = found.at(-1);
    const { path, ...words } = field;
    if (last && isDeepStrictEqual({ ...last, path }, field)) {
      found[found.length - 1] = { ...words, path: `${last.path}, ${path}` };
    } else found.push(field);
  }
  return found;
}

/** The lines of a cell; names without words stand side by side. */
function lines(parts: readonly string[]): string {
  const found: string[] = [];
  for (const part of parts.filter((text) => text !== '')) {
    const last = found.at(-1);
    const isName = (text: string) => /^(query )?`[^`]*`(, `[^`]*`)*$/.test(text);
    if (last !== undefined && isName(last) && isName(part)) found[found.length - 1] = `${last}, ${part}`;
    else found.push(part);
  }
  return found.join('<br>');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head).replaceAll('|  |', '| |'), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join(
    '\n',
  );
}
