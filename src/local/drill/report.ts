import type { NotRun } from './faults/kinds.js';
import {
  type Breach,
  compare,
  type Finding,
  FORBIDDEN,
  faultAt,
  keyOf,
  NO_FAULT,
  processedBy,
} from './ledger.js';
import type { UnexpectedEnd } from './node.js';
import type { Observations, Written } from './observations.js';

/** Figures of the messages that were written during one kind of fault. */
export interface FaultFigures {
  kind: string;
  /** Number of times that the fault was played. */
  runs: number;
  received: number;
  sent: number;
  lost: number;
  twice: number;
  disordered: number;
  late: number;
  unanswered: number;
  /** Events in the list of failed deliveries, where the retries of the receiver allow that. */
  failed: number;
  /** The longest time, in milliseconds, that a caller waited for the final answer to a send. */
  noServiceMs: number;
  /** The longest time, in milliseconds, from the writing of a message to its event at the first receiver. */
  slowestEventMs: number;
}

/** A fault whose begin or end failed. */
export interface BrokenFault {
  kind: string;
  error: string;
}

/** The result of a drill. */
export interface DrillReport {
  passed: boolean;
  seed: number;
  store: 'sqlite' | 'mongodb';
  nodes: number;
  /** Seconds of traffic and faults. */
  seconds: number;
  receivers: string[];
  totals: FaultFigures;
  faults: FaultFigures[];
  notRun: NotRun[];
  broken: BrokenFault[];
  /** Daemons that ended by themselves, with the last fault before that. */
  ends: (UnexpectedEnd & { fault: string })[];
  /** Stanzas that still waited at the network at the end, so that missing messages may still arrive. */
  atNetwork: number;
  /** All findings. */
  findings: Finding[];
}

export interface ReportOptions {
  seed: number;
  store: 'sqlite' | 'mongodb';
  nodes: number;
  seconds: number;
  notRun: readonly NotRun[];
  broken: readonly BrokenFault[];
  ends: readonly UnexpectedEnd[];
  atNetwork: number;
  /** Milliseconds without a fault after which an event is late. */
  lateAfterMs: number;
}

/** Compares the observations, and counts findings by kind of fault. */
export function makeReport(seen: Observations, options: ReportOptions): DrillReport {
  const { lateAfterMs, notRun, broken, ends, ...about } = options;
  const findings = compare(seen, lateAfterMs);
  const kinds = [...new Set([NO_FAULT, ...seen.faults.map(({ kind }) => kind)])];
  const figures = kinds.map((kind) => figuresOf(kind, seen, findings));
  const isBad = findings.some(({ breach }) => FORBIDDEN.has(breach)) || broken.length > 0 || ends.length > 0;
  return {
    passed: !isBad,
    ...about,
    receivers: seen.receivers.map(({ name }) => name),
    totals: totalsOf(figures),
    faults: figures,
    notRun: [...notRun],
    broken: [...broken],
    ends: ends.map((end) => ({ ...end, fault: faultAt(seen.faults, end.at) })),
    findings,
  };
}

function figuresOf(kind: string, seen: Observations, findings: readonly Finding[]): FaultFigures {
  const written = seen.written.filter(({ at }) => faultAt(seen.faults, at) === kind);
  const count = (breach: Breach) =>
    findings.filter((finding) => finding.fault === kind && finding.breach === breach).length;
  return {
    kind,
    runs: seen.faults.filter((fault) => fault.kind === kind).length,
    received: written.filter(({ way }) => way === 'received').length,
    sent: written.filter(({ way }) => way === 'sent').length,
    lost: count('lost'),
    twice: count('twice'),
    disordered: count('disordered'),
    late: count('late'),
    unanswered: count('unanswered'),
    failed: failedOf(written, seen),
    noServiceMs: Math.max(0, ...written.map(waitedFor)),
    slowestEventMs: Math.max(0, ...eventTimes(written, seen)),
  };
}

function waitedFor({ way, at, answeredAt }: Written): number {
  return way === 'sent' && answeredAt !== undefined ? answeredAt - at : 0;
}

/** Milliseconds from the writing of each message to its event at the first receiver, without held messages, which wait for their policy. */
function eventTimes(written: readonly Written[], { receivers }: Observations): number[] {
  const arrivals = receivers.map(processedBy);
  return written.flatMap(({ outcome, sessions, token, at }) => {
    if (outcome !== 'accepted') return [];
    return sessions.flatMap((session) => {
      const firsts = arrivals.flatMap((all) => all.get(keyOf(session, token))?.[0]?.at ?? []);
      return firsts.length > 0 ? [Math.min(...firsts) - at] : [];
    });
  });
}

function failedOf(written: readonly Written[], { receivers }: Observations): number {
  return receivers.flatMap(({ failed }) =>
    written.flatMap(({ sessions, messageId }) =>
      sessions.filter((session) => messageId !== undefined && failed.get(session)?.has(messageId)),
    ),
  ).length;
}

function totalsOf(figures: readonly FaultFigures[]): FaultFigures {
  const sum = (field: Exclude<keyof FaultFigures, 'kind'>) =>
    figures.reduce((total, one) => total + one[field], 0);
  const most = (field: 'noServiceMs' | 'slowestEventMs') => Math.max(0, ...figures.map((one) => one[field]));
  return {
    kind: 'all',
    runs: sum('runs'),
    received: sum('received'),
    sent: sum('sent'),
    lost: sum('lost'),
    twice: sum('twice'),
    disordered: sum('disordered'),
    late: sum('late'),
    unanswered: sum('unanswered'),
    failed: sum('failed'),
    noServiceMs: most('noServiceMs'),
    slowestEventMs: most('slowestEventMs'),
  };
}
