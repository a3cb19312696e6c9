/** What is counted as it happens. */
export class Stats {
  logins = 0;
  conflicts = 0;
  stanzasIn = 0;
  stanzasOut = 0;
  /** Queries that clients made, by namespace. */
  readonly queries = new Map<string, number>();

  countQuery(namespace: string): void {
    this.queries.set(namespace, (this.queries.get(namespace) ?? 0) + 1);
  }
}
