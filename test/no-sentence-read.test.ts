import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import { expect } from 'chai';
import { isObject } from '../src/domain/json.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Where sentences are read, and why that is right: the words are those of foreign software, which offers no code, or of an
 * earlier release, whose rows are translated once.
 */
const READERS: Readonly<Record<string, string>> = {
  'src/terminal/cli/output.ts': 'errors of oclif',
  'src/local/drill/brokers.ts': 'the logs of brokers that start',
  'src/domain/connection-fault.ts': "errors of Node.js's TLS",
  'src/gateway/link/baileys/reasons.ts': 'errors of Baileys',
  'src/gateway/link/baileys/retry-reasons.ts': 'errors of libsignal',
  'src/gateway/link/baileys/tunnel.ts': 'errors of the SOCKS library and of undici',
  'src/gateway/http/events/stream.ts': 'the comment that begins a stream is part of its format',
  'src/gateway/store/sqlite/schema.ts': 'the first line of a schema is its format',
  'src/gateway/store/mongo/sessions.ts': 'rows of an earlier release',
  'src/gateway/delivery/sinks/process/amqp.ts': 'errors of the AMQP client',
  'src/gateway/delivery/sinks/process/nats.ts': 'errors of the NATS client',
  'src/gateway/delivery/sinks/process/redis.ts': 'errors of the Redis client',
};

/** Properties and variables that hold words for people. */
const WORDS = /^(?:reason|statusReason|lastDisconnect|message|detail|error|sentence|advice)$/;
/** Those of `WORDS` that always hold a text: comparing one reads a sentence. */
const TEXTS = /^(?:statusReason|message|detail|sentence)$/;
/** Methods that compare, match or take apart a text. */
const READS = new Set([
  ...['startsWith', 'endsWith', 'includes', 'indexOf', 'match', 'matchAll', 'search', 'split'],
  ...['replace', 'replaceAll', 'localeCompare'],
]);
const MATCHES = new Set(['test', 'exec']);
/** Two words in a row, as a sentence has them and a code has not. */
const SENTENCE = /[A-Za-z]{2,}[,:;]? [a-z]{2,}/;

/** The places of a file that read a sentence, as `line: code`. */
function readsIn(source: string): string[] {
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript', 'jsx'] });
  const lines = source.split('\n');
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isNode(value)) return;
    if (readsSentence(value))
      found.push(`${value.loc.start.line}: ${lines[value.loc.start.line - 1]?.trim()}`);
    for (const [name, part] of Object.entries(value)) if (name !== 'loc') visit(part);
  };
  visit(program);
  return found;
}

/** A node of the syntax tree; its other fields depend on its type. */
interface Node extends Record<string, unknown> {
  type: string;
  loc: { start: { line: number } };
}

function isNode(value: unknown): value is Node {
  return isObject(value) && typeof value.type === 'string' && isObject(value.loc);
}

function readsSentence(node: Node): boolean {
  if (node.type === 'RegExpLiteral') return typeof node.pattern === 'string' && SENTENCE.test(node.pattern);
  if (node.type === 'BinaryExpression') {
    const sides = [node.left, node.right];
    if (node.operator !== '===' && node.operator !== '!==') return false;
    return (
      sides.some(isLongSentence) ||
      (sides.some((side) => TEXTS.test(lastName(side))) && !sides.some(isPlainValue))
    );
  }
  const { callee, arguments: given } = node;
  if (!isNode(callee) || !/^(?:Optional)?MemberExpression$/.test(callee.type) || !Array.isArray(given))
    return false;
  const method = nameOf(callee.property);
  // splitting a text into its lines reads no sentence
  if (method === 'split' && isNode(given[0]) && given[0].value === '\n') return false;
  if (READS.has(method)) return holdsWords(callee.object) || given.some(isSentence);
  return MATCHES.has(method) && given.some(holdsWords);
}

function isSentence(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'StringLiteral') return typeof node.value === 'string' && SENTENCE.test(node.value);
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return false;
  return node.quasis.some(
    (part) => isNode(part) && SENTENCE.test(String(isObject(part.value) && part.value.raw)),
  );
}

/** Three words or more: a value of a union may have two. */
function isLongSentence(node: unknown): boolean {
  return isSentence(node) && isNode(node) && /\w+ \w+ \w+/.test(String(node.value));
}

/** A literal, null or undefined: what a sentence is compared with has an own rule. */
function isPlainValue(node: unknown): boolean {
  return isNode(node) && (/Literal$/.test(node.type) || nameOf(node) === 'undefined');
}

/** The expression is named as words for people are. */
function holdsWords(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'CallExpression') return nameOf(node.callee) === 'errorMessage';
  return WORDS.test(lastName(node));
}

/** `reason` of `health.reason`. */
function lastName(node: unknown): string {
  return nameOf(isNode(node) && /MemberExpression$/.test(node.type) ? node.property : node);
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === 'Identifier' && typeof node.name === 'string' ? node.name : '';
}

const files = ['src', 'commands'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
);

describe('the programs', () => {
  let reads: ReadonlyMap<string, readonly string[]>;
  before(() => {
    reads = new Map(files.map((path) => [path, readsIn(readFileSync(join(ROOT, path), 'utf8'))]));
  });

  it('read codes and values, and no sentence', () => {
    const found = [...reads].flatMap(([path, lines]) =>
      path in READERS ? [] : lines.map((line) => `${path}:${line}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('read the words of foreign software and of earlier releases in few places, each of which needs it', () => {
    expect(Object.keys(READERS).filter((path) => !reads.get(path)?.length)).to.deep.equal([]);
  });

  for (const code of [
    'const PRIVATE = /loopback, link-local, private or reserved address/;',
    'PROXY.test(health.reason)',
    "error.message.includes('--allow-private-urls')",
    "statusReason.startsWith(detail.replace(/\\.$/, ''))",
    "record.statusReason === 'The session was exported.'",
    'reason.split(/(?<=\\.) /)',
    '/answered (\\d{3})/.exec(reason)',
    "text.replace('unknown clientId', 'no session')",
    'if (error.status === 404 && /^no phone has/.test(error.message)) refuse();',
  ]) {
    it(`are refused where they read a sentence: ${code}`, () => {
      expect(readsIn(code)).to.not.deep.equal([]);
    });
  }

  for (const code of [
    "reason.code === 'banned'",
    "status === 'logged_out'",
    '/^[a-z_]+$/.test(code)',
    "reason === ''",
  ]) {
    it(`may decide by codes: ${code}`, () => {
      expect(readsIn(code)).to.deep.equal([]);
    });
  }
});
