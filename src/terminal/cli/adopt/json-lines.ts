import type { Readable } from 'node:stream';
import { isObject, type JsonObject, parseObject } from '../../../domain/json.js';
import { CliError } from '../errors.js';
import { objectLines, wrongLine } from './bounds.js';
import { clientIdOf, type LinkedNumber, type StoredKey } from './linked-number.js';

/** Fields of a line that are texts. */
const TEXTS = ['webhookUrl', 'webhookToken', 'orgId'] as const;

/**
 * Reads numbers from JSON lines: `{"clientId", "credentials", "keys": {"<family>": {"<id>": value}}}`, optionally with
 * `webhookUrl`, `webhookToken` and `orgId`.
 * @throws CliError `usage` that names the line
 */
export async function readJsonLines(input: Readable): Promise<LinkedNumber[]> {
  const numbers: LinkedNumber[] = [];
  for await (const { text, line } of objectLines(input)) numbers.push(await numberIn(text, line));
  if (numbers.length === 0) throw new CliError('usage', 'the input has no line with a number');
  return numbers;
}

async function numberIn(text: string, line: number): Promise<LinkedNumber> {
  const wrong = (problem: string) => wrongLine(line, problem);
  const row = parseObject(text);
  if (!row) throw wrong('is not a JSON object');
  const { clientId, credentials, keys = {} } = row;
  if (typeof clientId !== 'string' || clientIdOf(clientId) !== clientId || clientId === '')
    throw wrong('clientId must have 1 to 64 letters and digits');
  if (!isObject(credentials)) throw wrong('credentials must be an object');
  if (!isObject(keys)) throw wrong('keys must be an object of families');
  const counts: Record<string, number> = {};
  const all: StoredKey[] = [];
  for (const [type, values] of Object.entries(keys)) {
    if (!isObject(values)) throw wrong(`keys.${type} must be an object of keys by id`);
    for (const [id, value] of Object.entries(values)) all.push({ type, id, value });
    counts[type] = Object.keys(values).length;
  }
  const texts = Object.fromEntries(
    TEXTS.flatMap((name) => {
      const value = row[name];
      if (value === undefined) return [];
      if (typeof value !== 'string') throw wrong(`${name} must be a text`);
      return [[name, value] as const];
    }),
  );
  return {
    ...{ clientId, credentials, counts, unreadable: [], inUse: '', place: `line ${line}` },
    ...texts,
    ...(row.settings !== undefined && (await movedParts(row, wrong))),
    async *keys() {
      yield* all;
    },
  };
}

/** Reads the parts that only `switchboard sessions export` writes. */
async function movedParts(
  { settings, received }: JsonObject,
  wrong: (problem: string) => CliError,
): Promise<Pick<LinkedNumber, 'webhookUrl' | 'webhookToken' | 'orgId' | 'moved'>> {
  const { movedParts } = await import('../../../contract/adoption.js');
  const { value, error } = movedParts.validate({ settings, received });
  if (error) throw wrong(error.message);
  const { webhookUrl, webhookToken, orgId } = value.settings;
  return {
    moved: value,
    webhookUrl: webhookUrl || undefined,
    webhookToken: webhookToken || undefined,
    orgId: orgId || undefined,
  };
}
