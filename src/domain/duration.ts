const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Milliseconds of a length of time such as `500ms`, `30s`, `5m`, `2h` or `1.5d`; undefined for any other text. */
export function durationMs(text: string): number | undefined {
  const [, number, unit] = FORM.exec(text) ?? [];
  const unitMs = UNITS_MS[unit ?? ''];
  return unitMs === undefined ? undefined : Number(number) * unitMs;
}
