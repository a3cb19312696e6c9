/** The session that a number is linked as. */
export function clientIdOf(number: string): string {
  return `s${number.slice(1)}`;
}
