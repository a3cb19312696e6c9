import { startSandbox } from '../../../src/sandbox/index.js';

// a sandbox of its own process, so that a test can kill it
const sandbox = await startSandbox({ dataDir: process.argv[2] });
process.stdout.write(JSON.stringify({ url: sandbox.url, wsUrl: sandbox.wsUrl, port: sandbox.port }));
