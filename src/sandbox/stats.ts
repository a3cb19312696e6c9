/** What is counted as it happens. */
export class Stats {
  logins = 0;
  conflicts = 0;
  dropped = 0;
  repeated = 0;
  stanzasIn = 0;
  stanzasOut = 0;
  /** Queries that clients made, by namespace. */
  readonly queries = new Map<string, number>();

  /** Logins by device, as `<number>:<device>`. */
  readonly loginsByDevice = new Map<string, number>();

  countLogin(number: string, device: number): void {
    this.logins++;
    const name = `${number}:${device}`;
    this.loginsByDevice.set(name, (this.loginsByDevice.get(name) ?? 0) + 1);
  }

  countQuery(namespace: string): void {
    this.queries.set(namespace, (this.queries.get(namespace) ?? 0) + 1);
  }
}
