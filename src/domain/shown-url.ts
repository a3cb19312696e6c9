/** An address as it may be shown: people put passwords and keys into its other parts. */
export function shownUrl(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname, username, password, search, hash } = new URL(address);
  return username || password || search || hash ? origin + pathname : address;
}
