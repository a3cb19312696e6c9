/** Limits of the additional headers of a receiver. */
export const OWN_HEADERS = { most: 16, nameLength: 64, valueLength: 1_024, bytes: 4_096 } as const;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Values as HTTP allows them: printable ASCII without spaces at the ends. */
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers of the gateway, of the connection, and those that would change how the body is read. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['authorization', 'host', 'user-agent', 'connection', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
]);
const RESERVED_PREFIXES = ['x-sn-', 'webhook-', 'content-'];

/** Checks the additional headers of a receiver. @returns the broken rule, without the value, which may be secret; undefined if all is well */
export function ownHeadersFlaw(headers: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(headers);
  const { most, nameLength, valueLength, bytes } = OWN_HEADERS;
  if (entries.length > most) return `must have at most ${most} headers`;
  const seen = new Set<string>();
  let size = 0;
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!NAME.test(name) || name.length > nameLength) return 'must have names that HTTP allows';
    if (isReserved(lower)) return `must not have ${lower}, which the gateway sets`;
    if (seen.has(lower)) return `must not have ${lower} twice`;
    if (value.length > valueLength || !VALUE.test(value)) {
      return `must have printable ASCII without spaces at its ends in ${lower}, up to ${valueLength} characters`;
    }
    seen.add(lower);
    size += name.length + value.length;
  }
  return size > bytes ? `must not be longer than ${bytes} characters together` : undefined;
}

function isReserved(lower: string): boolean {
  return RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}
