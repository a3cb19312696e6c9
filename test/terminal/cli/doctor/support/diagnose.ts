import { systemClock } from '../../../../../src/domain/clock.js';
import { readSettings } from '../../../../../src/gateway/config/load.js';
import { encryptionKeyBytes, readEncryptionKey } from '../../../../../src/gateway/config/secrets.js';
import { findStoreDamage, tryExistingStore } from '../../../../../src/gateway/store/open.js';
import { DaemonClient } from '../../../../../src/terminal/cli/client.js';
import type { CheckResult } from '../../../../../src/terminal/cli/doctor/check.js';
import { type DoctorOptions, LIMITS } from '../../../../../src/terminal/cli/doctor/context.js';
import { doctor } from '../../../../../src/terminal/cli/doctor/doctor.js';

/** However little room is left on the machine of the tests. */
export const WELL_LIMITS = { ...LIMITS, fullBytes: 0, nearlyFullBytes: 0 };

/** The settings under test; all others are those of a healthy machine. */
export interface Patient extends Partial<Omit<DoctorOptions, 'client'>> {
  url: string;
  token?: string;
  dataDir: string;
}

/** Everything that was found out. */
export class Diagnosis {
  readonly results: readonly CheckResult[];

  constructor(results: readonly CheckResult[]) {
    this.results = results;
  }

  /** The result of a check. */
  of(id: string, session?: string): CheckResult {
    const result = this.results.find((one) => one.id === id && one.session === session);
    if (result) return result;
    throw new Error(`nothing was told of ${id} ${session ?? ''}`);
  }

  /** All results of a check, in the order of the output. */
  all(id: string, session?: string): CheckResult[] {
    return this.results.filter((one) => one.id === id && one.session === session);
  }

  /** The names of all troubles. */
  get troubles(): string[] {
    return this.results.flatMap(({ trouble }) => trouble ?? []);
  }
}

/** Looks at everything, without a process or a command around it. */
export async function diagnose({ url, token, ...patient }: Patient): Promise<Diagnosis> {
  const over = new AbortController();
  const results: CheckResult[] = [];
  const options: DoctorOptions = {
    client: new DaemonClient({ url, token, signal: over.signal }),
    hasToken: token !== undefined,
    env: {},
    network: undefined,
    session: undefined,
    sendsEvents: true,
    program: { release: '2026-01', nodeVersion: '20.19.0', nodeRange: '>=20.19' },
    readSettings: ({ dataDir, env }) => readSettings({ flags: { dataDir }, env, defaultDataDir: dataDir }),
    readEncryptionKey,
    tryStore: ({ dataDir, encryptionKey }) =>
      tryExistingStore({ dataDir, encryptionKey: encryptionKeyBytes(encryptionKey) }),
    findDamage: findStoreDamage,
    clock: systemClock,
    limits: WELL_LIMITS,
    ...patient,
  };
  try {
    for await (const result of doctor(options)) results.push(result);
  } finally {
    over.abort();
  }
  return new Diagnosis(results);
}
