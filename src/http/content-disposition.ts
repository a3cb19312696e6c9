/** What `encodeURIComponent` leaves although RFC 8187 does not allow it. */
const LEFT = /['()*]/g;
/** What an old client must not find between the quotes: beyond ASCII, quotes, and what looks like an escape. */
const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/g;

/** A `Content-Disposition` header (RFC 6266): the name as it is, and one for clients that know ASCII only. */
export function contentDisposition(how: 'inline' | 'attachment', fileName: string): string {
  // half a character, as JSON can hold one, has no encoding
  const name = Buffer.from(fileName).toString();
  const encoded = encodeURIComponent(name).replace(LEFT, percentEncoded);
  return `${how}; filename="${name.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
