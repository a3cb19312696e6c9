import type { DoctorContext, SessionFacts } from './context.js';

type Facts = Readonly<Record<string, string | number | boolean>>;

/** Result of a check. */
export interface Finding {
  /** `warning`: works, but needs attention. `skipped`: not applicable, or impossible to check. */
  level: 'ok' | 'warning' | 'failed' | 'skipped';
  /** Name of the problem; only with `warning` and `failed`. */
  trouble?: Trouble;
  /** One line for people. */
  detail: string;
  /** Measured values, for programs. */
  facts: Facts;
  /** How to fix it; only with `warning` and `failed`. */
  advice?: string;
}

/** A finding with its check and session. */
export interface CheckResult extends Finding {
  /** Stable name of the check. */
  id: string;
  session?: string;
}

export interface AnyCheck {
  id: string;
  /** Earlier checks of the list that must have passed; otherwise this one is skipped. */
  needs: readonly string[];
  /** Milliseconds; overrides the limit of one check. */
  timeoutMs?: number;
}

/** Runs once. */
export interface GeneralCheck extends AnyCheck {
  run(context: DoctorContext): Promise<Finding>;
}

/** Runs once per session. */
export interface SessionCheck extends AnyCheck {
  /** One finding, or several of which none hides another. */
  runFor(session: SessionFacts, context: DoctorContext): Promise<Finding | readonly Finding[]>;
}

export function passed(detail: string, facts: Facts = {}): Finding {
  return { level: 'ok', detail, facts };
}

export function skipped(why: string): Finding {
  return { level: 'skipped', detail: why, facts: {} };
}

/** The level comes from the table of troubles. */
export function problem(trouble: Trouble, detail: string, advice: string, facts: Facts = {}): Finding {
  return { level: TROUBLES[trouble], trouble, detail, facts, advice };
}

/**
 * Every problem, by its stable name, with its level: `failed` stops something from working, `warning` needs attention.
 * docs/troubleshooting.md has a section for each.
 */
export const TROUBLES = {
  'node-too-old': 'failed',
  'settings-invalid': 'failed',
  'data-dir-missing': 'warning',
  'data-dir-not-writable': 'failed',
  'data-dir-open': 'warning',
  'disk-full': 'failed',
  'disk-nearly-full': 'warning',
  'token-file-unreadable': 'failed',
  'token-file-open': 'failed',
  'key-file-missing': 'failed',
  'key-file-unreadable': 'failed',
  'key-file-open': 'failed',
  'key-change-unfinished': 'failed',
  'key-wrong': 'failed',
  'store-locked': 'failed',
  'store-too-new': 'failed',
  'store-broken': 'failed',
  'store-damaged': 'failed',
  'store-unchecked': 'failed',
  'port-taken': 'failed',
  'port-forbidden': 'failed',
  'port-no-such-address': 'failed',
  'public-url-loopback': 'warning',
  'public-url-unreachable': 'warning',
  'public-url-stranger': 'warning',
  'daemon-refused': 'failed',
  'daemon-timeout': 'failed',
  'daemon-unknown-host': 'failed',
  'daemon-tls': 'failed',
  'daemon-unreachable': 'failed',
  'daemon-stranger': 'failed',
  'clock-untold': 'warning',
  'clock-off': 'warning',
  'clock-far-off': 'failed',
  'store-unreachable': 'failed',
  'store-slow': 'warning',
  'token-missing': 'failed',
  'token-wrong': 'failed',
  'token-unchecked': 'failed',
  'version-mismatch': 'warning',
  'node-silent': 'warning',
  'node-name-twice': 'warning',
  'node-versions-differ': 'warning',
  'node-draining': 'warning',
  'node-url-loopback': 'failed',
  'node-url-stranger': 'failed',
  'node-unreachable': 'failed',
  'leases-overdue': 'warning',
  'network-address': 'failed',
  'network-unknown-host': 'failed',
  'network-refused': 'failed',
  'network-timeout': 'failed',
  'network-tls': 'failed',
  'network-unreachable': 'failed',
  'sessions-unreadable': 'failed',
  'session-unknown': 'failed',
  'secret-shared': 'warning',
  'session-unheld': 'failed',
  'session-unpaired': 'warning',
  'session-passkey': 'warning',
  'session-proxy': 'failed',
  'client-outdated': 'failed',
  'session-reconnecting': 'warning',
  'session-stuck': 'failed',
  'session-looping': 'failed',
  'session-silent': 'failed',
  'session-restricted': 'warning',
  'session-warned': 'warning',
  'session-damaged': 'failed',
  'session-logged-out': 'failed',
  'session-replaced': 'failed',
  'session-banned': 'failed',
  'session-status-unknown': 'warning',
  'webhook-unauthorized': 'failed',
  'webhook-not-found': 'failed',
  'webhook-redirect': 'failed',
  'webhook-rejects': 'failed',
  'webhook-error': 'failed',
  'webhook-slow': 'failed',
  'webhook-refused': 'failed',
  'webhook-unknown-host': 'failed',
  'webhook-certificate': 'failed',
  'webhook-private': 'failed',
  'webhook-unreachable': 'failed',
  'webhook-unsigned': 'warning',
  'deliveries-failed': 'warning',
  'deliveries-waiting': 'warning',
  'webhook-paused': 'warning',
  'broker-paused': 'warning',
  'tenant-broker': 'warning',
  'history-stuck': 'warning',
  'check-unfinished': 'warning',
} as const satisfies Record<string, 'warning' | 'failed'>;

export type Trouble = keyof typeof TROUBLES;

/** Problem and advice for each cause. */
export type Troubles<Cause extends string> = Readonly<
  Record<Cause, readonly [trouble: Trouble, advice: string]>
>;
