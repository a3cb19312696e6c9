/** The name and phone number in a vCard. */
interface CardFacts {
  /** Empty when it has none. */
  name: string;
  /** With `+` where the card has the country code, else the digits as written; empty when it has none. */
  phone: string;
}

/** A parsed line of a vCard. */
interface Property {
  /** In upper case, without its group: `FN` or `TEL`. */
  name: string;
  /** `;type=CELL;waid=15550000003` */
  params: string;
  value: string;
}

const PROPERTY = /^(?:[\w-]+\.)?(FN|TEL)((?:;(?:"[^"]*"|[^":;])*)*):(.*)$/i;

/**
 * A vCard 3.0 of a person with one phone number. `waid` makes phones offer to write to that number.
 * @param phone digits with the country code
 */
export function composeVcard(displayName: string, phone: string): string {
  const name = escaped(displayName);
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:;${name};;;`,
    `FN:${name}`,
    `TEL;type=CELL;type=VOICE;waid=${phone}:+${phone}`,
    'END:VCARD',
  ].join('\n');
}

/** Reads a vCard of any version. */
export function readVcard(vcard: string): CardFacts {
  const properties = propertiesOf(vcard);
  const name = properties.find((property) => property.name === 'FN')?.value ?? '';
  const phones = properties.filter((property) => property.name === 'TEL');
  const known = phones.map(({ params }) => /;waid="?(\d+)/i.exec(params)?.[1]).find(Boolean);
  return { name: unescaped(name), phone: known ? `+${known}` : phoneOf(phones[0]?.value ?? '') };
}

function propertiesOf(vcard: string): Property[] {
  // a line that begins with a space continues the previous one
  const lines = vcard
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, params, value] = PROPERTY.exec(line) ?? [];
    return name && value ? [{ name: name.toUpperCase(), params: params ?? '', value: value.trim() }] : [];
  });
}

function phoneOf(value: string): string {
  const written = value.replace(/^tel:/i, '').split(/;|,/, 1)[0] ?? '';
  const digits = written.replace(/\D/g, '');
  return digits && written.trim().startsWith('+') ? `+${digits}` : digits;
}

/** RFC 2426, section 5. */
function escaped(text: string): string {
  return text.replace(/[\\,;]/g, '\\$&').replace(/\r\n?|\n/g, '\\n');
}

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, char: string) => (/n/i.test(char) ? '\n' : char));
}
