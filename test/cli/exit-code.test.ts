import { expect } from 'chai';
import { CliError, type Failure } from '../../src/cli/cli-error.js';
import { EXIT_CODES, exitCodeOf, failureOfStatus } from '../../src/cli/exit-code.js';

describe('the exit code', () => {
  const failures: [Failure, number][] = [
    ['failure', 1],
    ['usage', 2],
    ['unreachable', 3],
    ['unauthorized', 4],
    ['not_found', 5],
    ['conflict', 6],
    ['refused', 7],
    ['interrupted', 130],
  ];
  for (const [failure, code] of failures) {
    it(`is ${code} for ${failure}`, () => {
      expect(exitCodeOf(new CliError(failure, 'why'))).to.equal(code);
    });
  }

  it('differs for every failure', () => {
    const codes = Object.values(EXIT_CODES);
    expect(new Set(codes).size).to.equal(codes.length);
  });

  it("is the framework's own for what it could not parse", () => {
    expect(exitCodeOf(Object.assign(new Error('bad flag'), { oclif: { exit: 2 } }))).to.equal(2);
  });

  it('is 1 for anything that nobody foresaw', () => {
    expect([new Error('x'), 'text', undefined, null, { oclif: {} }].map(exitCodeOf)).to.deep.equal([
      1, 1, 1, 1, 1,
    ]);
  });

  const statuses: [number, Failure][] = [
    [400, 'usage'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'not_found'],
    [409, 'conflict'],
    [413, 'usage'],
    [500, 'failure'],
    [502, 'refused'],
    [503, 'failure'],
  ];
  for (const [status, failure] of statuses) {
    it(`takes HTTP ${status} for ${failure}`, () => {
      expect(failureOfStatus(status)).to.equal(failure);
    });
  }
});
