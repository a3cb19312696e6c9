import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the gate puts a newer Node.js; `docs/contributing.md` has the command. */
const INSTALLED = fileURLToPath(
  new URL(
    `../../node_modules/.cache/newer-node/node_modules/node-${process.platform}-${process.arch}/bin/node`,
    import.meta.url,
  ),
);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** A Node.js on which every broker's client runs: that of Kafka needs a newer one than the gateway. */
export function newerNode(): string {
  if (major > 22 || (major === 22 && minor >= 22)) return process.execPath;
  if (existsSync(INSTALLED)) return INSTALLED;
  throw new Error('a newer Node.js is missing: docs/contributing.md says how to install it');
}
