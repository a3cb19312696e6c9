/** An address as it may be shown: people put passwords and keys into its other parts. */
export function shownUrl(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname, username, password, search, hash } = new URL(address);
  return username || password || search || hash ? origin + pathname : address;
}

/** Scheme, host and port of an address: people put keys into paths and queries. Empty when it is none. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : '';
}
