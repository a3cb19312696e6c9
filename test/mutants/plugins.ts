import { createHash } from 'node:crypto';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant, StrykerOptions } from '@stryker-mutator/api/core';
import {
  commonTokens,
  declareClassPlugin,
  declareValuePlugin,
  PluginKind,
  tokens,
} from '@stryker-mutator/api/plugin';
import { MochaRunner } from './mocha-runner.js';

/** A node of Babel's tree, as far as it is read here. */
interface SyntaxNode {
  type: string;
  value?: unknown;
  callee?: SyntaxNode;
  property?: { name?: string; id?: { name?: string } };
  object?: SyntaxNode;
  name?: string;
  quasis?: { value: { raw: string } }[];
}

declare module '@stryker-mutator/api/ignore' {
  interface NodePath {
    node: SyntaxNode;
  }
}

declare module '@stryker-mutator/api/core' {
  /** What `run.ts` hands over to the plugins, beside the options of StrykerJS. */
  interface StrykerOptions {
    sample: number;
    seed: string;
    /** Paths of the test files. */
    specs: string[];
  }
}

/** Lets through a sample of the mutants. The same seed takes the same mutants as long as their code stays in its place. */
class Sample implements Checker {
  static readonly inject = tokens(commonTokens.options);
  readonly #options: StrykerOptions;

  constructor(options: StrykerOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {}

  /** One group: the sample is taken of all mutants. */
  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const ranked = mutants.map((mutant) => ({ id: mutant.id, rank: this.#rank(mutant) }));
    ranked.sort((left, right) => (left.rank < right.rank ? -1 : 1));
    const results = ranked.map(({ id }, index): [string, CheckResult] =>
      index < this.#options.sample
        ? [id, { status: CheckStatus.Passed }]
        : [id, { status: CheckStatus.CompileError, reason: 'not in the sample' }],
    );
    return Object.fromEntries(results);
  }

  #rank({ fileName, mutatorName, location, replacement }: Mutant): string {
    const place = [fileName.split('/src/').at(-1), location.start, location.end];
    const text = JSON.stringify([this.#options.seed, mutatorName, replacement, ...place]);
    return createHash('sha256').update(text).digest('hex');
  }
}

const LOG_METHODS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** True for `log.warn(…)`, `this.#log.warn(…)` and the like. */
function isLogCall({ type, callee }: SyntaxNode): boolean {
  if (!type.endsWith('CallExpression') || !LOG_METHODS.has(callee?.property?.name ?? '')) return false;
  const logger = callee?.object;
  const name = logger?.name ?? logger?.property?.name ?? logger?.property?.id?.name ?? '';
  return /log$/i.test(name);
}

/** True for a text with a space: a sentence for people, not a name that code reads. */
function isSentence({ type, value, quasis }: SyntaxNode): boolean {
  if (type === 'StringLiteral') return typeof value === 'string' && value.trim().includes(' ');
  return type === 'TemplateLiteral' && (quasis ?? []).some((part) => part.value.raw.trim().includes(' '));
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Checker, 'sample', Sample),
  declareClassPlugin(PluginKind.TestRunner, 'mocha in one process', MochaRunner),
  declareValuePlugin(PluginKind.Ignore, 'words', {
    shouldIgnore({ node }) {
      if (isLogCall(node)) return 'a line of the log';
      return isSentence(node) ? 'a text for people' : undefined;
    },
  }),
];
