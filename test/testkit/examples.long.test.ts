import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import Joi from 'joi';
import { parse } from 'yaml';
import { compiledCommand, compiledProgram, compiledProject } from '../support/compiled.js';
import { runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { playWorkflow, readWorkflow } from './n8n-workflow.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = join(ROOT, 'docs', 'examples');
const WEBHOOK_TOKEN = 'token-of-the-bot';
/** Debian's packages are for its own Python, which another one on the path hides. */
const PYTHON = '/usr/bin/python3';
const run = promisify(execFile);

/** A bot and its test, for mocha. */
const MOCHA_SPEC = `
import { createServer } from 'node:http';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createWorld, expect } from 'switchboard-gateway/testkit';

describe('a bot', () => {
  let world, server;
  before(async () => {
    world = await createWorld({ timeoutMs: 30_000 });
    server = createServer(async (request, response) => {
      const event = JSON.parse(await text(request));
      response.end();
      if (!event.fromMe) await world.api.sendMessage({ clientId: 'acme', to: event.clientLid, body: 'hello' });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await world.session({ webhookUrl: 'http://127.0.0.1:' + server.address().port });
  });
  after(async () => { await world.close(); server.closeAllConnections(); server.close(); });
  it('answers', async () => {
    const bob = await world.phone('Bob');
    await bob.says('hi');
    await expect(bob).toReceive(/hello/);
  });
});
`;

describe('the examples of docs/testing-your-bot.md', function () {
  this.timeout(240_000);
  let home: TempDir;
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(SWITCHBOARD_|NODE_)/.test(name)),
  );

  before(async () => {
    home = await makeTempDir();
    await cp(EXAMPLES, home.path, { recursive: true });
    const packages = join(home.path, 'node_modules');
    await mkdir(packages);
    await symlink(compiledProject(), join(packages, 'switchboard-gateway'));
    await symlink(join(ROOT, 'node_modules', 'express'), join(packages, 'express'));
  });
  after(() => home.remove());

  /** What `switchboard verify` finds wrong with a receiver, but for the pace of this machine. */
  async function problemsOf(url: string): Promise<string[]> {
    const { stdout, exitCode } = await runCli(['verify', url, '--token', WEBHOOK_TOKEN]);
    const lines = stdout
      .split('\n')
      .filter((line) => /^[✗!]/.test(line) && !line.includes('answers each call'));
    if (exitCode !== 0) lines.push(`exit code ${exitCode}`);
    expect(stdout).to.contain(' passed, ');
    return lines;
  }

  /** Starts a bot whose gateway does not answer, and reads its address from what it prints. */
  async function startBot(
    folder: string,
    command: string,
    ...args: string[]
  ): Promise<[ChildProcess, string]> {
    const settings = { GATEWAY_URL: 'http://127.0.0.1:1', GATEWAY_TOKEN: 'none', WEBHOOK_TOKEN, PORT: '0' };
    const bot = spawn(command, args, { cwd: join(home.path, folder), env: { ...env, ...settings } });
    const said: string[] = [];
    for (const stream of [bot.stdout, bot.stderr]) {
      const lines = createInterface({ input: stream });
      lines.on('line', (line) => {
        said.push(line);
        bot.emit('line', line);
      });
    }
    for (;;) {
      const port = said
        .map((line) => /(?:port |:)(\d+)\b/.exec(line)?.[1])
        .find((found) => found !== undefined);
      if (port) return [bot, `http://127.0.0.1:${port}/webhook`];
      await Promise.race([
        once(bot, 'line'),
        once(bot, 'exit').then(() => Promise.reject(new Error(said.join('\n')))),
      ]);
    }
  }

  async function stopBot(bot: ChildProcess): Promise<void> {
    const ended = once(bot, 'exit');
    bot.kill();
    await ended;
  }

  it('show the test of the bot of Express unchanged', async () => {
    const page = await readFile(join(ROOT, 'docs', 'testing-your-bot.md'), 'utf8');
    expect(page).to.contain(await readFile(join(EXAMPLES, 'express', 'bot.test.js'), 'utf8'));
  });

  it('test the bot of Express with node:test, in a process that ends on its own', async () => {
    const { stdout } = await run(process.execPath, ['--test', 'express/bot.test.js'], {
      cwd: home.path,
      env,
    });
    expect(stdout).to.match(/\n(# |ℹ )pass 1\n/);
  });

  it('have no problem in the bot of Express', async () => {
    const [bot, url] = await startBot('express', process.execPath, 'server.js');
    try {
      expect(await problemsOf(url)).to.deep.equal([]);
    } finally {
      await stopBot(bot);
    }
  });

  it('test the bot of FastAPI with node:test', async () => {
    const options = { cwd: home.path, env: { ...env, PYTHON } };
    const { stdout } = await run(process.execPath, ['--test', 'fastapi/bot.test.js'], options);
    expect(stdout).to.match(/\n(# |ℹ )pass 1\n/);
  });

  it('have no problem in the bot of FastAPI', async () => {
    const [bot, url] = await startBot('fastapi', PYTHON, '-m', 'uvicorn', 'bot:app', '--port', '0');
    try {
      expect(await problemsOf(url)).to.deep.equal([]);
    } finally {
      await stopBot(bot);
    }
  });

  it('test the workflow of n8n, and have no problem in it', async () => {
    const file = compiledProgram(new URL('../../src/testkit/testkit.ts', import.meta.url));
    const kit: typeof import('../../src/testkit/testkit.js') = await import(pathToFileURL(file).href);
    const workflow = readWorkflow(await readFile(join(EXAMPLES, 'n8n', 'workflow.json'), 'utf8'));
    const names = workflow.nodes.map(({ name }) => name);
    const targets = Object.values(workflow.connections).flatMap(({ main }) => main.flat());
    expect(names).to.include.members(targets.map(({ node }) => node));
    expect(names).to.include.members(Object.keys(workflow.connections));
    const world = await kit.createWorld({ timeoutMs: 60_000 });
    const variables = { GATEWAY_URL: world.url, GATEWAY_TOKEN: world.token, WEBHOOK_TOKEN };
    const bot = await playWorkflow(workflow, variables);
    try {
      await world.session({ webhookUrl: bot.url, webhookToken: WEBHOOK_TOKEN });
      const bob = await world.phone('Bob');
      await bob.says('hi');
      await kit.expect(bob).toReceive('Hello Bob, you wrote: hi');
      expect(await problemsOf(bot.url)).to.deep.equal([]);
    } finally {
      await world.close();
      await bot.stop();
    }
  });

  it('work in mocha, which ends on its own', async () => {
    await writeFile(join(home.path, 'bot.spec.mjs'), MOCHA_SPEC);
    const mocha = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js');
    const options = ['--no-config', '--timeout', '60000', 'bot.spec.mjs'];
    const { stdout } = await run(process.execPath, [mocha, ...options], { cwd: home.path, env });
    expect(stdout).to.contain('1 passing');
  });

  describe('the examples of docs/testing-your-bot.md for GitHub Actions', () => {
    const shells: ChildProcess[] = [];

    let runner: TempDir;

    before(async () => {
      runner = await makeTempDir();
    });
    after(async () => {
      // each shell is a group with the servers that it started
      for (const { pid } of shells) if (pid) killGroup(pid);
      // they may still write while they end
      await rm(runner.path, { recursive: true, force: true, maxRetries: 10 });
    });

    it('start gateway and bot, verify the bot and talk to it, as their shell steps say', async () => {
      const { env: settings, steps } = await readJob();
      const bin = join(runner.path, 'bin');
      await mkdir(bin);
      // the test installs no packages: the command is the compiled one
      await writeFile(
        join(bin, 'npx'),
        `#!/bin/sh\nshift\nexec "${process.execPath}" "${compiledCommand()}" "$@"\n`,
      );
      await chmod(join(bin, 'npx'), 0o755);
      const [gateway, sandbox, bot] = [await steadyPort(), await steadyPort(), await steadyPort()];
      const ports = new Map([
        ['3000', gateway],
        ['3001', sandbox],
        ['4000', bot],
      ]);
      const moved = Object.entries(settings).map(([name, value]) => [
        name,
        value.replace(/\b(3000|3001|4000)\b/, (port) => String(ports.get(port))),
      ]);
      const shellEnv = {
        ...env,
        ...Object.fromEntries(moved),
        ...{ HOME: runner.path, RUNNER_TEMP: runner.path, PATH: `${bin}:${process.env.PATH}` },
      };
      const ran: string[] = [];
      for (const { name = '', run: lines } of steps) {
        if (lines === undefined || lines === 'npm ci') continue;
        const cwd = join(home.path, 'express');
        const shell = spawn('bash', ['-e', '-c', lines], { cwd, env: shellEnv, detached: true });
        shells.push(shell);
        let said = '';
        for (const stream of [shell.stdout, shell.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            said += text;
          });
        const [code] = await once(shell, 'exit');
        expect(code, `${name}\n${said}`).to.equal(0);
        ran.push(name);
      }
      expect(ran).to.have.lengthOf(4);
      expect(await readFile(join(runner.path, 'receiver.xml'), 'utf8')).to.match(
        /<testsuite name="receiver" tests="\d+" failures="0">/,
      );
    });
  });
});

/** The job of the workflow for GitHub. @throws Joi.ValidationError when it has not the form of one */
async function readJob(): Promise<{ env: Record<string, string>; steps: { name?: string; run?: string }[] }> {
  const step = Joi.object({
    name: Joi.string(),
    run: Joi.string(),
    uses: Joi.string(),
    with: Joi.object(),
    if: Joi.string(),
  }).xor('run', 'uses');
  const job = Joi.object({
    'runs-on': Joi.string().required(),
    env: Joi.object().pattern(Joi.string(), Joi.string()).required(),
    steps: Joi.array().items(step).required(),
  });
  const form = Joi.object({
    name: Joi.string().required(),
    on: Joi.array().items(Joi.string()).required(),
    jobs: Joi.object({ bot: job.required() }),
  });
  const text = await readFile(join(EXAMPLES, 'github-action.yml'), 'utf8');
  const workflow: { jobs: { bot: Awaited<ReturnType<typeof readJob>> } } = Joi.attempt(parse(text), form);
  return workflow.jobs.bot;
}

/** A free port below those that the system gives to others, so that nobody takes it until it is used. */
async function steadyPort(): Promise<number> {
  const port = randomInt(10_000, 30_000);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isFree) return steadyPort();
  server.close();
  await once(server, 'close');
  return port;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nothing of it runs any more
  }
}
