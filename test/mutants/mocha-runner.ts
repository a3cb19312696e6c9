import { resolve } from 'node:path';
import type { InstrumenterContext, StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, tokens } from '@stryker-mutator/api/plugin';
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';

/** As in `.mocharc.json`. StrykerJS ends a process earlier that takes much longer for its tests than without a mutant. */
const TEST_TIMEOUT_MS = 120_000;
/** With a mutant: a test that waits for what never comes fails long before the process is ended, which would cost more. */
const MUTANT_TEST_TIMEOUT_MS = 30_000;

declare global {
  /** What the instrumented code reads and counts. */
  var __stryker__: InstrumenterContext | undefined;
}

/** Prints nothing: the results are read from the runner's events. */
class Silent extends Mocha.reporters.Base {
  override epilogue(): void {}
}

/**
 * Runs Mocha in one process, because a mutant is switched on by a global variable. The code that hooks run counts for the
 * suite of the hook: all its tests run for a mutant there.
 */
export class MochaRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  readonly #mocha = new Mocha({ reporter: Silent, timeout: TEST_TIMEOUT_MS });
  readonly #context: InstrumenterContext;
  readonly #specs: readonly string[];
  #loaded = false;

  constructor({ specs }: StrykerOptions) {
    this.#specs = specs;
    globalThis.__stryker__ ??= {};
    this.#context = globalThis.__stryker__;
    this.#mocha.cleanReferencesAfterRun(false);
  }

  /** A module is loaded once in a process. */
  capabilities() {
    return { reloadEnvironment: false };
  }

  async dryRun({ disableBail }: DryRunOptions): Promise<DryRunResult> {
    await this.#load();
    const result = await this.#run(!disableBail);
    if (result.status !== DryRunStatus.Complete || !this.#context.mutantCoverage) return result;
    return { ...result, mutantCoverage: this.#context.mutantCoverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, mutantActivation, testFilter, disableBail } = options;
    this.#context.hitLimit = hitLimit;
    this.#context.hitCount = hitLimit === undefined ? undefined : 0;
    this.#context.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined;
    try {
      await this.#load();
    } catch (error) {
      return toMutantRunResult({ status: DryRunStatus.Complete, tests: [failed('loading', error)] });
    }
    this.#context.activeMutant = activeMutant.id;
    this.#mocha.grep(testFilter ? new RegExp(testFilter.map(pattern).join('|')) : /./);
    const result = await this.#run(!disableBail);
    return toMutantRunResult(
      determineHitLimitReached(this.#context.hitCount, this.#context.hitLimit) ?? result,
    );
  }

  async #load(): Promise<void> {
    if (this.#loaded) return;
    for (const spec of this.#specs) this.#mocha.addFile(resolve(spec));
    await this.#mocha.loadFilesAsync();
    this.#loaded = true;
  }

  #run(bail: boolean): Promise<DryRunResult> {
    const tests: TestResult[] = [];
    return new Promise((done) => {
      const runner = this.#mocha.run(() => {
        this.#context.currentTestId = undefined;
        done({ status: DryRunStatus.Complete, tests });
      });
      const enter = (id: string) => {
        this.#context.currentTestId = id;
      };
      runner.on('suite', (suite) => {
        if (suite.root) return;
        enter(suiteId(suite));
        tests.push({ ...named(suiteId(suite)), status: TestStatus.Success });
      });
      runner.on('hook', (hook) => {
        if (this.#context.activeMutant !== undefined) hook.timeout(MUTANT_TEST_TIMEOUT_MS);
      });
      runner.on('suite end', ({ parent }) => parent && enter(suiteId(parent)));
      runner.on('test', (test) => {
        if (this.#context.activeMutant !== undefined) test.timeout(MUTANT_TEST_TIMEOUT_MS);
        enter(test.fullTitle());
      });
      runner.on('test end', ({ parent }) => parent && enter(suiteId(parent)));
      runner.on('pass', (test) =>
        tests.push({
          ...named(test.fullTitle()),
          timeSpentMs: test.duration ?? 0,
          status: TestStatus.Success,
        }),
      );
      runner.on('pending', (test) => tests.push({ ...named(test.fullTitle()), status: TestStatus.Skipped }));
      runner.on('fail', (test, error: Error & { code?: string }) => {
        // a hook or test of an earlier mutant, which ran out of time, has ended now
        if (error.code === 'ERR_MOCHA_MULTIPLE_DONE') return;
        tests.push(failed(test.fullTitle(), error));
        // Mocha's own `bail` would have to be set before the suites are loaded
        if (bail) runner.abort();
      });
    });
  }
}

const HOOKS = ' (hooks)';

/** The name under which the hooks of a suite count what they reach. */
function suiteId(suite: Mocha.Suite): string {
  return suite.fullTitle() + HOOKS;
}

/** A pattern of the full title of a test, or of all tests of a suite. */
function pattern(id: string): string {
  const suite = id.endsWith(HOOKS);
  const title = suite ? id.slice(0, -HOOKS.length) : id;
  const exact = title.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return suite ? `^${exact}` : `^${exact}$`;
}

function named(id: string) {
  return { id, name: id, timeSpentMs: 0 };
}

function failed(id: string, error: unknown): TestResult {
  return { ...named(id), status: TestStatus.Failed, failureMessage: String(error) };
}
