import {
  type DestinationStream,
  destination,
  type Logger,
  type LoggerOptions,
  pino,
  stdTimeFunctions,
  transport,
} from 'pino';
import { readJson } from './domain/json.js';
import { plainLines, singleLine } from './domain/text.js';

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
  /** Pretty, coloured lines instead of JSON. */
  pretty: boolean;
  /** Where lines go instead of standard error. */
  destination?: DestinationStream;
}

/** The start-up summary's words for a secret give nothing away. */
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

/** JSON escapes what a terminal acts on; pretty lines show it as it is, so that it is cleaned before. */
export function cleanLogLine(line: string): string {
  return JSON.stringify(readJson(line), (name, value) => {
    if (typeof value !== 'string') return value;
    return name === 'stack' ? plainLines(value) : singleLine(value);
  });
}
