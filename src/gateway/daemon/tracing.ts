import type { MonotonicClock } from '../../domain/clock.js';
import { NO_TRACING, type Tracing } from '../../domain/tracing.js';
import { ConfigError } from '../config/load.js';
import type { Config } from '../config/schema.js';
import type { Logger } from '../log.js';
import { releaseVersion } from './release.js';

/** Packages for tracing; later versions need a newer Node.js. */
const PACKAGES = [
  '@opentelemetry/api@1.9',
  '@opentelemetry/exporter-trace-otlp-http@0.223',
  '@opentelemetry/resources@2',
  '@opentelemetry/sdk-trace@2',
].join(' ');

/** Tracing, and a function that ends it. */
interface DaemonTracing {
  tracing: Tracing;
  /** Exports the remaining spans. Never rejects. */
  stop(): Promise<void>;
}

/** Loads tracing if a collector is set; otherwise nothing is loaded. @throws ConfigError if its packages are not installed */
export async function openTracing(
  { otlpEndpoint: endpoint, otlpHeaders, traceRatio: ratio, nodeName: node }: Config,
  clock: MonotonicClock,
  log: Logger,
): Promise<DaemonTracing> {
  if (!endpoint) return { tracing: NO_TRACING, stop: async () => undefined };
  const { startOtlpTracing } = await import('./otlp-tracing.js').catch((cause: unknown) => {
    const message = `--otlp-endpoint needs packages that are not installed: npm install -g ${PACKAGES}`;
    throw new ConfigError(message, { cause });
  });
  const headers = headersIn(otlpHeaders);
  const tracing = startOtlpTracing({ endpoint, headers, ratio, node, version: releaseVersion(), clock, log });
  return { tracing, stop: () => tracing.stop() };
}

/** Reads `name=value,name=value`; values may be percent-encoded, as in OTEL_EXPORTER_OTLP_HEADERS. */
function headersIn(list: string): Record<string, string> {
  const pairs = list.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
