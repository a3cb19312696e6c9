export const CONNECTION_FAULTS = ['refused', 'timeout', 'unknown_host', 'tls', 'unreachable'] as const;
/** Why a connection failed. */
export type ConnectionFault = (typeof CONNECTION_FAULTS)[number];

/** The texts are those of Node.js and its HTTP library, whose TLS errors have no code in common. */
const RULES: readonly (readonly [RegExp, ConnectionFault])[] = [
  [/ECONNREFUSED|connection refused/, 'refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown_host'],
  [/certificate|CERT|altnames|SSL|EPROTO|TLS/, 'tls'],
  [/no answer (within|in time)|ETIMEDOUT|timeout/i, 'timeout'],
];

/** Reads an error of a connection, and its causes. */
export function connectionFaultOf(error: unknown): ConnectionFault {
  const texts: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    texts.push('code' in each ? String(each.code) : '', each.message);
  }
  const whole = texts.join(' ');
  return RULES.find(([rule]) => rule.test(whole))?.[1] ?? 'unreachable';
}
