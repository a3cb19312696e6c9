import type { Companion } from './account.js';

/** The devices that get the counts of a channel's posts when they change, each for a time. */
export class ChannelWatchers {
  readonly #until = new Map<string, Map<Companion, number>>();

  /** @param until seconds since the epoch */
  set(channel: string, companion: Companion, until: number): void {
    const watchers = this.#until.get(channel) ?? new Map<Companion, number>();
    this.#until.set(channel, watchers.set(companion, until));
  }

  /** @param now seconds since the epoch */
  of(channel: string, now: number): Companion[] {
    const watchers = this.#until.get(channel) ?? new Map<Companion, number>();
    return [...watchers].flatMap(([companion, until]) => (until > now ? companion : []));
  }
}
