import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseObject } from '../../domain/json.js';
import { apiVersion } from '../../domain/version.js';
import { apiPage } from './api-page.js';
import { clientSource } from './client.js';
import { openApiDocument } from './openapi.js';
import { reasonsPage } from './reasons.js';
import { requestsSource } from './requests.js';
import { sandboxClientSource } from './sandbox-client.js';
import { sandboxDocument } from './sandbox-openapi.js';

const CLIENT = 'src/client/generated/operations.generated.ts';
const REQUESTS = 'src/client/generated/requests.generated.ts';
const API_PAGE = 'docs/api.md';
const SANDBOX_CLIENT = 'src/client/generated/sandbox-operations.generated.ts';
const ROOT = new URL('../../../', import.meta.url);

/** Files printed from the contract and committed, by path; of the page of the API only its printed parts. */
export function printedFiles(): Record<string, string> {
  const { version } = parseObject(readFileSync(new URL('package.json', ROOT), 'utf8')) ?? {};
  const release = apiVersion(String(version));
  return {
    [API_PAGE]: apiPage(readFileSync(new URL(API_PAGE, ROOT), 'utf8')),
    'docs/openapi.json': `${JSON.stringify(openApiDocument(release), null, 1)}\n`,
    'docs/reasons.md': reasonsPage(),
    'docs/sandbox-openapi.json': `${JSON.stringify(sandboxDocument(release), null, 1)}\n`,
    [CLIENT]: formatted(CLIENT, clientSource(release)),
    [REQUESTS]: formatted(REQUESTS, requestsSource(release)),
    [SANDBOX_CLIENT]: formatted(SANDBOX_CLIENT, sandboxClientSource(release)),
  };
}

function formatted(path: string, source: string): string {
  const biome = fileURLToPath(new URL('node_modules/.bin/biome', ROOT));
  return execFileSync(biome, ['format', `--stdin-file-path=${path}`], {
    cwd: fileURLToPath(ROOT),
    input: source,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
}

// `npm run openapi` runs this file
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(printedFiles())) writeFileSync(new URL(path, ROOT), text);
}
