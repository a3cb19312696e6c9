/** Countries whose mobile numbers are written in two forms, of which the network knows an account by one. */
const FORMS: readonly [long: RegExp, short: RegExp, toShort: string, toLong: string][] = [
  // Mexico: a 1 that was dialled before mobile numbers
  [/^521(?<rest>\d{10})$/, /^52(?<rest>\d{10})$/, '52$<rest>', '521$<rest>'],
  // Argentina: a 9, likewise
  [/^549(?<rest>\d{10})$/, /^54(?<rest>\d{10})$/, '54$<rest>', '549$<rest>'],
  // Brazil: a ninth digit that came later
  [
    /^55(?<area>\d{2})9(?<rest>\d{8})$/,
    /^55(?<area>\d{2})(?<rest>\d{8})$/,
    '55$<area>$<rest>',
    '55$<area>9$<rest>',
  ],
];

/** The other form of a mobile number; undefined when it has only one. @param pn digits with the country code */
export function otherForm(pn: string): string | undefined {
  for (const [long, short, toShort, toLong] of FORMS) {
    if (long.test(pn)) return pn.replace(long, toShort);
    if (short.test(pn)) return pn.replace(short, toLong);
  }
  return undefined;
}
