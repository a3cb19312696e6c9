import { randomUUID } from 'node:crypto';
import type { CallOptions } from '../../client/generated/operations.generated.js';
import type { SendAnswer } from '../../contract/index.js';
import { isObject, parseJson } from '../../domain/json.js';
import { CliError } from './errors.js';

/**
 * Sends a message under an idempotency key.
 * @throws CliError; after a lost answer, it suggests the key for a safe retry
 */
export function send(
  message: (options: CallOptions) => Promise<SendAnswer>,
  idempotencyKey: string = randomUUID(),
): Promise<SendAnswer> {
  return explainLostAnswer(idempotencyKey, () => message({ idempotencyKey }));
}

/** Explains a lost answer. @throws CliError with the key for a safe retry */
export async function explainLostAnswer<Answer>(
  key: string,
  sending: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await sending();
  } catch (error) {
    throw isLostAnswer(error) ? repeatable(error, key) : error;
  }
}

/** True if the daemon may have sent the message: not if the connection was refused. */
export function isLostAnswer(error: unknown): error is CliError {
  if (!(error instanceof CliError) || !['unreachable', 'interrupted'].includes(error.failure)) return false;
  const { cause } = error;
  return !(cause instanceof Error && 'code' in cause && UNSENT.has(String(cause.code)));
}

const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function repeatable(error: CliError, key: string): CliError {
  return new CliError(error.failure, `${error.message}; the message may have been sent`, {
    suggestions: [`send again with --idempotency-key ${key}: it arrives only once`, ...error.suggestions],
    cause: error.cause,
  });
}

/** Buttons of the API. */
const MAKERS = {
  reply: (id: string, displayText: string) => ({ type: 'quick_reply' as const, displayText, id }),
  link: (url: string, displayText: string) => ({ type: 'cta_url' as const, displayText, url }),
  call: (phoneNumber: string, displayText: string) => ({
    type: 'cta_call' as const,
    displayText,
    phoneNumber,
  }),
  copy: (copyCode: string, displayText: string) => ({
    type: 'cta_copy' as const,
    displayText,
    id: copyCode,
    copyCode,
  }),
};

/** Parses `VALUE=LABEL`, split at the last `=` because URLs may contain one. @throws CliError `usage` */
export function parseButton(kind: keyof typeof MAKERS, text: string) {
  const at = text.lastIndexOf('=');
  const [value, label] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at > 0 && value && label) return MAKERS[kind](value, label);
  throw new CliError('usage', `--${kind} ${text}: must be VALUE=LABEL`, {
    suggestions: [`such as --${kind} ${EXAMPLES[kind]}`],
  });
}

const EXAMPLES = {
  reply: '"yes=Yes, please"',
  link: '"https://example.com=Open"',
  call: '"+15550000001=Call us"',
  copy: '"123-456=Copy the code"',
} as const;

/** The rows of `ID=TITLE`, in one section, or the sections of a JSON array. @throws CliError `usage` */
export function parseSections({ row = [], sections }: { row?: string[]; sections?: string }): Section[] {
  if (sections !== undefined) return parseJsonSections(sections);
  return [{ rows: row.map(parseRow) }];
}

function parseRow(text: string) {
  const at = text.indexOf('=');
  const [id, title] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at > 0 && id && title) return { id, title };
  throw new CliError('usage', `--row ${text}: must be ID=TITLE`, {
    suggestions: ['such as --row "soup=Soup of the day"'],
  });
}

type Row = { id: string; title: string; description?: string };
type Section = { title?: string; rows: Row[] };

function parseJsonSections(text: string): Section[] {
  const value = parseJson(text);
  if (Array.isArray(value) && value.every(isSection)) return value;
  throw new CliError(
    'usage',
    '--sections must be a JSON array of {title?, rows: [{id, title, description?}]}',
    {
      suggestions: [`such as --sections '[{"rows": [{"id": "soup", "title": "Soup"}]}]'`],
    },
  );
}

function isSection(value: unknown): value is Section {
  if (!isObject(value) || !isText(value.title, true)) return false;
  return Array.isArray(value.rows) && value.rows.every(isRow);
}

function isRow(value: unknown): value is Row {
  return isObject(value) && isText(value.id) && isText(value.title) && isText(value.description, true);
}

function isText(value: unknown, isOptional = false): boolean {
  return typeof value === 'string' || (isOptional && value === undefined);
}
