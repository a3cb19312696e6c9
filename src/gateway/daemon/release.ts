import { readFileSync } from 'node:fs';
import { parseObject } from '../../domain/json.js';
import { apiVersion } from '../../domain/version.js';

/** The API version of the deployed code, from the package's manifest; `unknown` if that cannot be read. */
export function releaseVersion(): string {
  for (const path of ['../../../package.json', '../../../../package.json']) {
    try {
      const { version } = parseObject(readFileSync(new URL(path, import.meta.url), 'utf8')) ?? {};
      if (version !== undefined) return apiVersion(String(version));
    } catch {
      // compiled code is one folder deeper: try the next place
    }
  }
  return 'unknown';
}
