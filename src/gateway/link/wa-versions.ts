import type { Reason } from '../../domain/reasons.js';

/** A version of WhatsApp Web, as a client reports it at registration and at login. */
export type WaVersion = readonly [number, number, number];

/** The version that the protocol library was made for. */
export const LIBRARY_VERSION: WaVersion = [2, 3000, 1043857760];

/** The origin of a version: the setting, an earlier look-up in the store, the library's pin, or a look-up of this run. */
export type WaVersionSource = 'setting' | 'stored' | 'library' | 'lookup';

/** The client version that all links of this process report. */
export interface WaVersions {
  current(): { version: WaVersion; source: WaVersionSource };
  /**
   * Called when the network refused a version. Looks up a newer one, at most once in ten minutes.
   * @param proxy URL of the proxy of the session that was refused; empty if it has none. The look-up goes the same way
   * @returns `newer` when `current` is now newer than `refused`; otherwise why it is not. Never rejects.
   */
  outdated(refused: WaVersion, proxy: string): Promise<'newer' | Reason>;
}

/** `2.3000.1043857760` */
export function formatWaVersion(version: WaVersion): string {
  return version.join('.');
}

/** Parses a version; undefined if the text is none. */
export function parseWaVersion(text: string): WaVersion | undefined {
  const [, first, second, third] = /^(\d{1,4})\.(\d{1,6})\.(\d{1,12})$/.exec(text) ?? [];
  return third === undefined ? undefined : [Number(first), Number(second), Number(third)];
}

export function isNewerWaVersion(one: WaVersion, other: WaVersion): boolean {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0);
}
