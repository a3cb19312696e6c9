/** What is counted as it happens. */
export class Stats {
  logins = 0;
  conflicts = 0;
  stanzasIn = 0;
  stanzasOut = 0;
}
