import { expect } from 'chai';
import { makeReport, type ReportOptions } from '../../../src/local/drill/report.js';
import { drillJunit, FIGURE_TITLES, figureRows, noteLines } from '../../../src/local/drill/report-text.js';
import { type Drilled, entry, healthyDrill, remove, SESSION, second } from './support/seen.js';

const OPTIONS: ReportOptions = {
  seed: 7,
  store: 'sqlite',
  nodes: 1,
  seconds: 60,
  notRun: [{ kind: 'drain', reason: 'several-nodes' }],
  broken: [],
  ends: [],
  atNetwork: 0,
  lateAfterMs: 60_000,
};

describe('the report of a drill', () => {
  let drilled: Drilled;
  beforeEach(() => {
    drilled = healthyDrill();
    drilled.faults = [{ kind: 'kill', at: second(2), mendedAt: second(3) }];
  });

  it('counts messages and times by the fault during which they were written', () => {
    entry(drilled.written, 'sent 2').answeredAt = second(6);
    const { faults, totals, passed } = makeReport(drilled, OPTIONS);
    expect(
      faults.map(({ kind, runs, received, sent, noServiceMs }) => [kind, runs, received, sent, noServiceMs]),
    ).to.deep.equal([
      ['none', 0, 2, 2, 50],
      ['kill', 1, 2, 2, 4_000],
    ]);
    expect(totals).to.include({ received: 4, sent: 4, lost: 0, noServiceMs: 4_000, slowestEventMs: 100 });
    expect(passed).to.equal(true);
  });

  it('fails for a message that is lost, duplicated, out of order or unanswered', () => {
    const breaks: ((one: Drilled) => void)[] = [
      ({ durable }) => remove(durable, 'received 2'),
      ({ durable }) => durable.push({ ...entry(durable, 'received 2'), deliveryId: 'another' }),
      ({ durable }) => durable.reverse(),
      ({ written }) => {
        entry(written, 'sent 2').outcome = 'unanswered';
      },
    ];
    for (const spoil of breaks) {
      const one = healthyDrill();
      spoil(one);
      expect(makeReport(one, OPTIONS).passed, String(spoil)).to.equal(false);
    }
  });

  it('shows a late event, and does not fail for it', () => {
    entry(drilled.durable, 'received 3').at = second(90);
    const report = makeReport(drilled, OPTIONS);
    expect(report.totals.late).to.equal(1);
    expect(report.passed).to.equal(true);
  });

  it('fails for a fault that could not be ended', () => {
    const broken = [{ kind: 'kill', error: 'node-1 did not start' }];
    const report = makeReport(drilled, { ...OPTIONS, broken });
    expect(report.passed).to.equal(false);
    expect(noteLines(report)).to.include('not begun or not ended: kill: node-1 did not start');
  });

  it('fails for a daemon that ended by itself', () => {
    const ends = [{ node: 'node-1', at: second(2), end: 'SIGABRT' }];
    const report = makeReport(drilled, { ...OPTIONS, ends });
    expect(report.passed).to.equal(false);
    expect(noteLines(report).join()).to.contain('node-1 ended by itself (SIGABRT)');
    expect(drillJunit(report)).to.match(/name="kill"><failure message="1">node-1 ended by itself/);
  });

  it('counts events in the list of failed deliveries', () => {
    remove(drilled.webhook, 'received 2');
    drilled.failed.set(SESSION, new Set(['ID-received-2']));
    const { totals, passed } = makeReport(drilled, OPTIONS);
    expect([totals.failed, passed]).to.deep.equal([1, true]);
  });

  it('has a row for each fault, with as many cells as there are titles', () => {
    const rows = figureRows(makeReport(drilled, OPTIONS));
    expect(rows.map(([kind]) => kind)).to.deep.equal(['none', 'kill', 'all']);
    for (const row of rows) expect(row).to.have.lengthOf(FIGURE_TITLES.length);
  });

  it('reports a fault that was not played as not run, and as skipped in JUnit', () => {
    const report = makeReport(drilled, OPTIONS);
    expect(noteLines(report)).to.deep.equal(['not run, because it needs --nodes 2 or more: drain']);
    const junit = drillJunit(report);
    expect(junit).to.contain('<testsuite name="drill" tests="3" failures="0" skipped="1">');
    expect(junit).to.contain('name="drain"><skipped message="it needs --nodes 2 or more"/>');
  });

  it('lists problems in the JUnit case of their fault', () => {
    remove(drilled.durable, 'received 2');
    const junit = drillJunit(makeReport(drilled, OPTIONS));
    expect(junit).to.contain('failures="1"');
    expect(junit).to.match(
      /name="kill"><failure message="1">lost at durable of drill1: &quot;received 2&quot;/,
    );
  });
});
