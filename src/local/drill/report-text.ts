import { xmlText } from '../../terminal/cli/text.js';
import type { DrillItem } from './drill.js';
import type { NotRunReason } from './faults/kinds.js';
import type { Finding } from './ledger.js';
import type { DrillReport, FaultFigures } from './report.js';

/** Sentences for the reasons why a fault is not played. */
const REASONS: Readonly<Record<NotRunReason, string>> = {
  sqlite: 'it is played on SQLite only',
  mongodb: 'it needs --store mongodb://…',
  'store-relay': 'a relay cannot stand before several servers, or before TLS',
  'several-nodes': 'it needs --nodes 2 or more',
  broker: 'no broker runs: --no-brokers, or this machine has neither redis-server nor nats-server',
  prlimit: 'this machine does not have the program prlimit',
  'no-time': 'the drill was over before its turn',
};

const BREACHES: Readonly<Record<Finding['breach'], string>> = {
  lost: 'lost',
  twice: 'twice',
  disordered: 'out of order',
  late: 'late',
  unanswered: 'no final answer',
};

/** Titles of the columns of `figureRows`. */
export const FIGURE_TITLES = [
  'FAULT',
  'RUNS',
  'RECEIVED',
  'SENT',
  'LOST',
  'TWICE',
  'ORDER',
  'LATE',
  'UNANSWERED',
  'FAILED',
  'NO SERVICE',
  'SLOWEST',
];

/** The table of a report: a row for each kind of fault, and the sum. */
export function figureRows({ faults, totals }: DrillReport): string[][] {
  return [...faults, totals].map(figureRow);
}

function figureRow(figures: FaultFigures): string[] {
  const { kind, runs, received, sent, lost, twice, disordered, late, unanswered, failed } = figures;
  const counts = [runs, received, sent, lost, twice, disordered, late, unanswered, failed].map(String);
  return [kind, ...counts, secondsText(figures.noServiceMs), secondsText(figures.slowestEventMs)];
}

function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** One line for a finding. */
export function findingLine({ breach, place, owner, token, ids, fault, at, afterMs }: Finding): string {
  const when = new Date(at).toISOString().slice(11, 23);
  const after = afterMs === undefined ? '' : `, after ${secondsText(afterMs)}`;
  const named = ids.length > 0 ? ` (${ids.join(', ')})` : '';
  return `${BREACHES[breach]} at ${place} of ${owner}${after}: "${token}"${named}, written at ${when}, fault ${fault}`;
}

function endLine({ node, end, at, fault }: DrillReport['ends'][number]): string {
  return `${node} ended by itself (${end}) at ${new Date(at).toISOString()}, fault ${fault}`;
}

/** Notes that the figures do not contain. */
export function noteLines({ notRun, broken, ends, atNetwork }: DrillReport): string[] {
  const reasons = [...new Set(notRun.map(({ reason }) => reason))];
  const kindsOf = (reason: NotRunReason) =>
    notRun.filter((one) => one.reason === reason).map(({ kind }) => kind);
  return [
    ...reasons.map((reason) => `not run, because ${REASONS[reason]}: ${kindsOf(reason).join(', ')}`),
    ...broken.map(({ kind, error }) => `not begun or not ended: ${kind}: ${error}`),
    ...(atNetwork > 0 ? [`${atNetwork} stanzas still waited at the network at the end`] : []),
    ...ends.map(endLine),
  ];
}

/** A line of progress; undefined for the report. */
export function progressLine(item: DrillItem): string | undefined {
  switch (item.type) {
    case 'started':
      return `seed ${item.seed}: ${item.sessions} sessions, receivers ${item.receivers.join(', ')}`;
    case 'not-run':
      return `not run: ${item.kind}: ${REASONS[item.reason]}`;
    case 'fault':
      return `${secondsText(item.atMs)}: ${item.kind} for ${secondsText(item.forMs)}`;
    case 'mended':
      return `${item.kind} is over; ${item.written} messages so far`;
    case 'broken':
      return `${item.kind} was not begun or not ended: ${item.error}`;
    case 'settling':
      return `${item.written} messages; waiting for what is still on its way`;
    case 'report':
      return undefined;
  }
}

/** The JUnit report: a test case for each kind of fault. */
export function drillJunit(report: DrillReport): string {
  const { faults, notRun, broken, ends, findings } = report;
  const bad = (kind: string) => [
    ...findings.filter(({ fault, breach }) => fault === kind && breach !== 'late').map(findingLine),
    ...broken.filter((one) => one.kind === kind).map(({ error }) => error),
    ...ends.filter(({ fault }) => fault === kind).map(endLine),
  ];
  const played = faults.map(({ kind, runs, received, sent }) => {
    const lines = bad(kind);
    const start = `  <testcase classname="drill" name="${xmlText(kind)}"`;
    const figures = `${runs} runs, ${received} received, ${sent} sent`;
    if (lines.length === 0) return `${start}><system-out>${figures}</system-out></testcase>`;
    return `${start}><failure message="${lines.length}">${xmlText(lines.join('\n'))}</failure></testcase>`;
  });
  const skipped = notRun.map(
    ({ kind, reason }) =>
      `  <testcase classname="drill" name="${xmlText(kind)}"><skipped message="${xmlText(REASONS[reason])}"/></testcase>`,
  );
  const failures = faults.filter(({ kind }) => bad(kind).length > 0).length;
  const total = faults.length + notRun.length;
  const head = `<testsuite name="drill" tests="${total}" failures="${failures}" skipped="${notRun.length}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...played, ...skipped, '</testsuite>', ''].join(
    '\n',
  );
}
