import { isDeepStrictEqual } from 'node:util';
import { CONTRACT } from '../index.js';
import type { Operation } from '../operation.js';
import type { Field, Listed } from './field-words.js';
import { everySend, type OperationWords, wordsFor } from './operation-words.js';

const OPERATIONS = new Map(CONTRACT.flatMap(({ operations }) => Object.entries(operations)));

/** A printed part of the page: its marker names operations, or what every send has. */
const PART = /(<!-- contract: ([^>]*?) -->\n)[\s\S]*?(<!-- \/contract -->)/g;
const EVERY_SEND = 'sends';

/** The page with its printed parts as the contract has them. @throws Error that names an unknown operation */
export function apiPage(page: string): string {
  const byName: Listed['byName'] = new Map();
  return page.replace(PART, (_, begin: string, names: string, end: string, at: number) => {
    const [heading = ''] =
      page
        .slice(0, at)
        .match(/^#+ .*$/gm)
        ?.slice(-1) ?? [];
    // descriptions link as from any page of docs/
    const text = printed(names, heading, byName).replaceAll('](api.md#', '](#');
    return `${begin}${text}\n${end}`;
  });
}

/** The ids of the operations in the printed parts of a page. */
export function operationsOn(page: string): string[] {
  const markers = [...page.matchAll(PART)].map(([, , names = '']) => names);
  return markers.filter((names) => names !== EVERY_SEND).flatMap((names) => names.split(' '));
}

/** One operation with a line for each field; or several as a table with a row for each. */
function printed(names: string, heading: string, byName: Listed['byName']): string {
  if (names === EVERY_SEND) return sharedBySends(byName);
  const operations = names.split(' ').map((id) => {
    const operation = OPERATIONS.get(id);
    if (!operation) throw new Error(`docs/api.md: the contract has no operation ${id}`);
    const route = `\`${operation.method} ${operation.path.replace('?}', '}')}\``;
    return { operation, route, words: wordsFor(operation, { byName, here: route }) };
  });
  const [only, ...more] = operations;
  if (!only || more.length > 0) {
    const rows = operations.map(({ operation, route, words }) => row(anchorOf(operation) + route, words));
    return table(['route', 'input', 'answer'], rows);
  }
  // such a heading is itself the place that links name
  const isHeading = heading === `### ${only.route}`;
  return section(isHeading ? only.route : anchorOf(only.operation) + only.route, only.words);
}

/** The place that links name. */
function anchorOf({ method, path }: Operation): string {
  const words = path.match(/[a-z-]+/gi) ?? [];
  return `<a id="${[method, ...words].join('-').toLowerCase()}"></a>`;
}

function sharedBySends(byName: Listed['byName']): string {
  const { marked, headers, answer, answered } = everySend({ byName, here: 'every send' });
  return paragraphs(
    'Routes marked with ✉ also take these fields:',
    inputTable(marked),
    'Every send takes this header:',
    inputTable(headers),
    answer,
    answerTable(answered),
  );
}

function section(route: string, { what, inputs, form, needed, answer, answered }: OperationWords): string {
  return paragraphs(
    `${route}: ${what}`,
    inputTable(inputs),
    needed,
    form.length > 0 ? 'Or a form (`multipart/form-data`):' : '',
    inputTable(form),
    answer,
    answerTable(answered),
  );
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function row(route: string, { what, inputs, needed, answer, answered }: OperationWords): string[] {
  const input = merged(inputs).map(({ path, isOptional, rules, meaning }) => {
    const hasDefault = rules.some((rule) => rule.startsWith('default'));
    const facts = [...(isOptional && !hasDefault ? ['optional'] : []), ...rules].join('; ');
    return `${path}${facts && ` (${facts})`}${meaning && `: ${meaning}`}`;
  });
  const fields = merged(answered).map((field) => `${field.path}: ${wordsOf(field)}`);
  return [route, lines(input), lines([what, needed, answer, ...fields])];
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('<br>');
}

function inputTable(fields: readonly Field[]): string {
  const rows = merged(fields).map(({ path, of, isOptional, rules, meaning }) => {
    const hasDefault = rules.some((rule) => rule.startsWith('default'));
    const needed = isOptional ? 'optional' : 'required';
    const facts = [...(hasDefault ? [] : [needed]), ...rules].join('; ');
    return [`${path}${of && ` ${of}`}`, facts, meaning];
  });
  return rows.length > 0 ? table(['field', '', ''], rows) : '';
}

function answerTable(fields: readonly Field[]): string {
  const rows = merged(fields).map((field) => [field.path, wordsOf(field)]);
  return rows.length > 0 ? table(['field of the answer', ''], rows) : '';
}

function wordsOf({ rules, meaning }: Field): string {
  return [...rules, meaning].filter((words) => words !== '').join('. ');
}

/** Fields that stand side by side and say the same share a line. */
function merged(fields: readonly Field[]): Field[] {
  const found: Field[] = [];
  for (const field of fields) {
    const { path, ...words } = field;
    const last = found.at(-1);
    if (last && isDeepStrictEqual({ ...last, path }, field)) {
      found[found.length - 1] = { ...words, path: `${last.path}, ${path}` };
    } else found.push(field);
  }
  return found;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) =>
    text === '' ? ' ' : ` ${text.replaceAll('|', '\\|').replace(/\n+/g, ' ')} `;
  const line = (cells: readonly string[]) => `|${cells.map(cell).join('|')}|`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
