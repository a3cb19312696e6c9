import { readFileSync } from 'node:fs';

/** The version of the deployed code, as `<year>-<month>`: the manifest's `release`. */
export function releaseVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (typeof manifest === 'object' && manifest && 'release' in manifest) return String(manifest.release);
    } catch {
      // the compiled code lies one folder deeper: try the next place
    }
  }
  return 'unknown';
}
