/** Why a connection did not come about, or broke off. */
export type Fault = 'refused' | 'timeout' | 'unknown-host' | 'tls' | 'unreachable';

const RULES: readonly (readonly [RegExp, Fault])[] = [
  [/ECONNREFUSED|connection refused/, 'refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'unknown-host'],
  [/certificate|CERT|altnames|SSL|EPROTO|TLS/, 'tls'],
  [/no answer (within|in time)|ETIMEDOUT|timeout/i, 'timeout'],
];

/** By the words in which Node and the daemon tell of it. */
export function faultIn(text: string): Fault {
  return RULES.find(([rule]) => rule.test(text))?.[1] ?? 'unreachable';
}

/** By an error, with what caused it. */
export function faultOf(error: unknown): Fault {
  const texts: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    texts.push('code' in each ? String(each.code) : '', each.message);
  }
  return faultIn(texts.join(' '));
}
