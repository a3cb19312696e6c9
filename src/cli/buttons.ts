import { CliError } from './cli-error.js';

/** A button as the API takes it. */
export interface Button {
  type: 'quick_reply' | 'cta_url' | 'cta_call' | 'cta_copy';
  displayText: string;
  id?: string;
  url?: string;
  phoneNumber?: string;
  copyCode?: string;
}

const MAKERS = {
  reply: (id: string, displayText: string): Button => ({ type: 'quick_reply', displayText, id }),
  link: (url: string, displayText: string): Button => ({ type: 'cta_url', displayText, url }),
  call: (phoneNumber: string, displayText: string): Button => ({
    type: 'cta_call',
    displayText,
    phoneNumber,
  }),
  copy: (copyCode: string, displayText: string): Button => ({
    type: 'cta_copy',
    displayText,
    id: copyCode,
    copyCode,
  }),
} as const;

/** Reads `VALUE=LABEL`; the last `=` parts them, because addresses may hold some. @throws CliError `usage` */
export function parseButton(kind: keyof typeof MAKERS, text: string): Button {
  const at = text.lastIndexOf('=');
  const [value, label] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at > 0 && value && label) return MAKERS[kind](value, label);
  throw new CliError('usage', `--${kind} ${text}: a button is VALUE=LABEL`, {
    suggestions: [`such as --${kind} ${EXAMPLES[kind]}`],
  });
}

const EXAMPLES = {
  reply: '"yes=Yes, please"',
  link: '"https://example.com=Open"',
  call: '"+15550000001=Call us"',
  copy: '"123-456=Copy the code"',
} as const;
