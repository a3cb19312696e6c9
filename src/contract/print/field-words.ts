import type { Schema } from 'joi';

/** The part of Joi's description that the page of the API says in words. */
export interface Described {
  type?: string;
  flags?: {
    description?: string;
    presence?: string;
    default?: unknown;
    only?: boolean;
    unknown?: boolean;
    label?: string;
  };
  allow?: unknown[];
  rules?: { name: string; args?: Record<string, unknown> }[];
  metas?: { name?: string; maxLength?: number; ample?: boolean; opaque?: boolean; namesOnly?: boolean }[];
  keys?: Record<string, Described>;
  items?: Described[];
  dependencies?: { rel: string; peers: string[] }[];
  matches?: { schema?: Described; switch?: { then?: Described }[] }[];
}

/** A field of a request or an answer, with the fields inside it as fields of their own. */
export interface Field {
  /** Where it is, for example `sections[].rows[].id`. */
  path: string;
  /** How a header is written; otherwise empty. */
  label: string;
  /** Of a field that only one kind of object has: which, for example "with `type: cta_url`". */
  of: string;
  /** The field itself may be absent. */
  isOptional: boolean;
  /** What the schema knows, for example "at most 255 characters". */
  rules: string[];
  /** What the field means. */
  meaning: string;
}

/** More values than these are listed in a page of their own, which the meaning names. */
const MOST_VALUES = 12;
/** The pattern of texts for people. */
const NOT_BLANK = String(/\S/);

export function described(schema: Schema): Described {
  return schema.describe();
}

/** Where the fields of objects with a name are listed, by that name: each is listed once on a page. */
export interface Listed {
  byName: Map<string, string>;
  /** The place that is printed now. */
  here: string;
}

/** The fields of an object, each followed by those inside it. */
export function fieldsOf({ keys = {} }: Described, listed: Listed, above = ''): Field[] {
  return Object.entries(keys).flatMap(([name, field]) => {
    const path = `${above}${name}`;
    const own = fieldOf(path, field);
    if (field.metas?.some(({ opaque, namesOnly }) => opaque || namesOnly)) return [own];
    const [item] = field.items ?? [];
    const inner = item ?? field;
    const place = placeOf(inner, listed);
    if (place === listed.here) return [own];
    if (place !== undefined)
      return [{ ...own, meaning: [own.meaning, `as in ${place}`].filter(Boolean).join('; ') }];
    return [own, ...insideOf(item ? `${path}[]` : path, inner, listed)];
  });
}

/** Where the fields of an object are listed already; otherwise notes that they are listed here. */
export function placeOf({ metas = [], keys = {} }: Described, { byName, here }: Listed): string | undefined {
  const { name } = metas.find((meta) => meta.name) ?? {};
  if (name === undefined || !Object.values(keys).some(({ flags }) => flags?.description)) return undefined;
  const place = byName.get(name);
  if (place === undefined) byName.set(name, here);
  return place;
}

function fieldOf(path: string, field: Described, of = ''): Field {
  return {
    path,
    label: field.flags?.label ?? '',
    of,
    isOptional: field.flags?.presence !== 'required',
    rules: rulesOf(field),
    meaning: field.flags?.description ?? '',
  };
}

/** The fields of an object that is a field or an item of a list. Objects that take further fields are not listed. */
function insideOf(path: string, inner: Described, listed: Listed): Field[] {
  const cases = (inner.matches ?? []).flatMap((match) => match.switch ?? []);
  if (cases.length > 0) return cases.flatMap(({ then }) => (then ? caseOf(path, then) : []));
  return inner.flags?.unknown ? [] : fieldsOf(inner, listed, `${path}.`);
}

/** One of the objects that a field may be, told apart by its `type`; its own meaning stands in its first row. */
function caseOf(path: string, { keys: { type, ...keys } = {}, flags }: Described): Field[] {
  const of = `with \`type: ${String(valuesOf(type ?? {})[0])}\``;
  const fields = Object.entries(keys).map(([name, field]) => fieldOf(`${path}.${name}`, field, of));
  return fields.map((field, index) =>
    index === 0 ? { ...field, meaning: flags?.description ?? '' } : field,
  );
}

/** True for a field whose inside is not shown. */
function isOpaque({ metas = [] }: Described): boolean {
  return metas.some(({ opaque }) => opaque);
}

/** The rules of a field in words. */
export function rulesOf(field: Described): string[] {
  const { flags = {}, allow = [], items = [] } = field;
  const meaning = flags.description ?? '';
  const values = flags.only ? valuesOf(field) : [];
  // the meaning may say what each value is
  const isSaid = values.every((value) => meaning.includes(coded(value)));
  const shown = isSaid || values.length > MOST_VALUES ? [] : values;
  const isNull = allow.includes(null) && !meaning.includes('`null`');
  const orNull = isNull ? [...shown, null] : shown;
  const [item] = items;
  return [
    ...(values.length > 0 ? [inWords(orNull.map(coded))].filter(Boolean) : boundsOf(field)),
    ...(item && flags.only !== true ? itemRules(item) : []),
    ...(values.length === 0 && isNull ? ['or `null`'] : []),
    ...defaultOf(flags),
  ];
}

/** What each entry of a list must be. */
function itemRules(item: Described): string[] {
  const rules = item.type === 'object' || item.matches ? [] : rulesOf(item);
  return rules.length > 0 ? [`each ${rules.join(', ')}`] : [];
}

function valuesOf({ allow = [] }: Described): unknown[] {
  return allow.filter((value) => value !== null && typeof value !== 'object');
}

function coded(value: unknown): string {
  return `\`${value === '' ? '""' : String(value)}\``;
}

/** `a, b or c` */
export function inWords(words: readonly string[], last = 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

function defaultOf({ default: value, only }: Described['flags'] & object): string[] {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value === 'object') return [];
  return [`default: ${typeof value === 'number' && !only ? counted(value) : coded(value)}`];
}

/** Bounds of a text, a number or a list. */
function boundsOf({ type, rules = [], metas = [], flags = {} }: Described): string[] {
  const limit = (name: string) => {
    const value = rules.find((rule) => rule.name === name)?.args?.limit;
    return typeof value === 'number' ? value : undefined;
  };
  const has = (name: string) => rules.some((rule) => rule.name === name);
  const most = limit('max') ?? metas.find(({ maxLength }) => maxLength)?.maxLength;
  // longer than any real value
  if (metas.some(({ ample }) => ample)) return [];
  if (type === 'boolean') return flags.default === undefined ? ['`true` or `false`'] : [];
  if (type === 'number') return [range(limit('min'), most) || 'a number'];
  if (type === 'array')
    return [`a list${sized(limit('min'), most, '')}`, ...(has('unique') ? ['none twice'] : [])];
  if (type === 'object') return ['an object'];
  if (type !== 'string' || has('isoDate')) return has('isoDate') ? ['a time'] : [];
  const length = limit('length');
  const isShown = rules.some(({ name, args }) => name === 'pattern' && args?.regex === NOT_BLANK);
  return [
    ...(length ? [`${counted(length)} characters`] : []),
    ...(most ? [sized(limit('min'), most, ' characters').trim()] : []),
    ...(isShown ? ['not blank'] : []),
  ];
}

function range(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return least === undefined ? '' : `${counted(least)} or more`;
  return least === undefined ? `at most ${counted(most)}` : `${counted(least)} to ${counted(most)}`;
}

/** Of a list without a unit: " of 1 to 10"; of a text: " at most 255 characters". */
function sized(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined) return least === undefined ? '' : ` of ${counted(least)} or more${unit}`;
  const bounds = least === undefined || least === most ? `at most ${counted(most)}` : range(least, most);
  return unit === '' ? ` of ${bounds}` : ` ${bounds}${unit}`;
}

function counted(value: number): string {
  return value.toLocaleString('en-US');
}

/** Longer shapes are printed without the fields of their innermost objects. */
const LONGEST_SHAPE = 420;

/** What an answer looks like, for example `{ok: true, items: [{id, at?}], next?}`. @param hidden fields of the top that are left out */
export function shapeOf(answer: Described, hidden: readonly string[] = []): string {
  if (answer.matches) {
    const options = answer.matches.flatMap(({ schema }) => (schema ? [shapeOf(schema)] : []));
    return inWords(options);
  }
  const { keys = {}, ...rest } = answer;
  if (Object.keys(keys).length === 0) return 'a JSON object';
  const shown = Object.entries(keys).filter(([name]) => !hidden.includes(name));
  const top = { ...rest, keys: Object.fromEntries(shown) };
  for (let depth = deepest(top); depth > 1; depth--) {
    const shape = shapeTo(depth, top);
    if (shape.length <= LONGEST_SHAPE) return `\`${shape}\``;
  }
  return `\`${shapeTo(1, top)}\``;
}

function deepest({ keys = {}, items = [] }: Described): number {
  const inner = [...Object.values(keys), ...items].map(deepest);
  return (Object.keys(keys).length > 0 ? 1 : 0) + Math.max(0, ...inner);
}

/** The object with the objects inside it, so many levels deep. */
function shapeTo(depth: number, { keys = {} }: Described): string {
  const names = Object.entries(keys).map(([name, field]) => {
    const { flags = {}, items: [item] = [] } = field;
    const mark = flags.presence === 'required' || flags.default !== undefined ? name : `${name}?`;
    const [value, ...others] = flags.only ? valuesOf(field) : [];
    if (value !== undefined && others.length === 0) {
      return `${mark}: ${typeof value === 'string' ? `"${value}"` : String(value)}`;
    }
    if (isOpaque(field)) return mark;
    if (Object.keys(item?.keys ?? {}).length > 0) return `${mark}: [${innerShape(depth, item ?? {})}]`;
    return Object.keys(field.keys ?? {}).length > 0 ? `${mark}: ${innerShape(depth, field)}` : mark;
  });
  return `{${names.join(', ')}}`;
}

function innerShape(depth: number, inner: Described): string {
  return depth > 1 ? shapeTo(depth - 1, inner) : '{…}';
}
