/** Milliseconds since the epoch beyond which there is no date. */
const LAST_DATE = 8_640_000_000_000_000;

/**
 * What a stanza's `t` says, in milliseconds since the epoch.
 * @param seconds as the network wrote it; anything that is no time gives `otherwise`
 */
export function stanzaTime(seconds: unknown, otherwise: number): number {
  const ms = Number(seconds) * 1000;
  return ms > 0 && ms <= LAST_DATE ? ms : otherwise;
}
