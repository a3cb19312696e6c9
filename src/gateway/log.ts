import {
  type DestinationStream,
  destination,
  type Logger,
  type LoggerOptions,
  pino,
  stdTimeFunctions,
  transport,
} from 'pino';
import { readJson } from '../domain/json.js';
import { plainLines, singleLine } from '../domain/text.js';

export type { Logger } from 'pino';

/** Field names whose values are secrets or somebody's words, wherever they stand in a logged object. */
const SECRET_FIELDS = [
  'mediaKey',
  'token',
  'webhookToken',
  'secret',
  'authorization',
  'credentials',
  'creds',
  'encryptionKey',
  'password',
  'proxy',
  'body',
  'text',
  'conversation',
];
const DEPTHS = ['', '*.', '*.*.', '*.*.*.'];

export interface LogOptions {
  level: string;
  /** Whether to write pretty, coloured lines instead of JSON. */
  pretty: boolean;
  /** The destination of lines; default: standard error. */
  destination?: DestinationStream;
}

/** The words that the start-up summary shows instead of a secret; they are not redacted. */
const SAFE_WORDS: ReadonlySet<unknown> = new Set(['set', 'not set']);

/**
 * The daemon's log: JSON lines, or pretty ones on a terminal. Areas are children: `log.child({ area: 'delivery' })`.
 */
export function createLog(options: LogOptions): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    redact: {
      paths: DEPTHS.flatMap((depth) => SECRET_FIELDS.map((field) => `${depth}${field}`)),
      censor,
    },
  };
  if (options.destination) return pino(settings, options.destination);
  if (options.pretty) {
    const lines = transport({ target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } });
    return pino(settings, { write: (line) => lines.write(`${cleanLogLine(line)}\n`) });
  }
  return pino(settings, destination(2));
}

function censor(value: unknown): unknown {
  return SAFE_WORDS.has(value) ? value : '[redacted]';
}

/** Cleans the values of a line before it is printed pretty; JSON lines need no cleaning, because JSON escapes control characters. */
export function cleanLogLine(line: string): string {
  return JSON.stringify(readJson(line), (name, value) => {
    if (typeof value !== 'string') return value;
    return name === 'stack' ? plainLines(value) : singleLine(value);
  });
}
