import type { StanzaJson } from '../../../src/client/sandbox/client.js';

/** Bytes and longer texts that are different in each run. */
const MAX_PLAIN = 40;

/**
 * What a comparison keeps of the stanzas of one act: tags, attributes and their values, without what each run and each account
 * makes anew (ids, keys, times, numbers).
 */
export class Shaper {
  readonly #roles: readonly (readonly [RegExp, string])[];

  /** @param roles digits of numbers and LIDs, each with the word that stands for it */
  constructor(roles: ReadonlyMap<string, string>) {
    this.#roles = [...roles].map(([digits, role]) => [new RegExp(`\\b${digits}\\b`, 'g'), role] as const);
  }

  /** Every element and attribute of the stanzas as a path, sorted: `message/enc@type=pkmsg`. */
  facts(stanzas: readonly StanzaJson[]): string[] {
    return [...new Set(stanzas.flatMap((one) => this.#factsOf(one, '')))].sort();
  }

  /** The stanzas in their order, each in a word or two. */
  order(stanzas: readonly StanzaJson[]): string[] {
    return stanzas.map(nameOf);
  }

  #factsOf({ tag, attrs = {}, children = [], text, base64 }: StanzaJson, parent: string): string[] {
    const path = parent ? `${parent}/${tag}` : nameOf({ tag, attrs, children });
    const own = Object.entries(attrs).map(([name, value]) => `${path}@${name}=${this.#value(name, value)}`);
    const content = text !== undefined || base64 !== undefined ? [`${path} has content`] : [];
    return [path, ...own, ...content, ...children.flatMap((one) => this.#factsOf(one, path))];
  }

  #value(name: string, value: string): string {
    if (ALWAYS_NEW.has(name)) return '…';
    let kept = value;
    for (const [digits, role] of this.#roles) kept = kept.replace(digits, role);
    // devices, servers' numbers of groups, times and versions of the run
    kept = kept.replace(/:\d+@/g, ':device@').replace(/\d{9,}/g, '…');
    return kept.length > MAX_PLAIN ? '…' : kept;
  }
}

const ALWAYS_NEW: ReadonlySet<string> = new Set([
  'id',
  't',
  'key',
  'phash',
  'sid',
  'unified_session_id',
  'index',
]);

/** `iq get w:p` for a query, `message text` for a message, else the tag and its first child. */
function nameOf({ tag, attrs = {}, children = [] }: StanzaJson): string {
  const first = children[0]?.tag ?? '';
  if (tag === 'iq')
    return ['iq', attrs.type, attrs.xmlns, attrs.xmlns ? first : ''].filter(Boolean).join(' ');
  if (tag === 'receipt' || tag === 'ack' || tag === 'presence')
    return [tag, attrs.class ?? '', attrs.type ?? ''].filter(Boolean).join(' ');
  return [tag, tag === 'ib' ? first : ''].filter(Boolean).join(' ');
}
