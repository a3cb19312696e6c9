/**
 * The version of the HTTP API, `<year>-<month>`: the first two numbers of the package's version.
 * @param packageVersion such as `2026.11.0`
 */
export function apiVersion(packageVersion: string): string {
  const [year = '0', month = '0'] = packageVersion.split('.');
  return `${year}-${month.padStart(2, '0')}`;
}
