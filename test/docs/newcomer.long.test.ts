import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { compiledCommand } from '../support/compiled.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const README = new URL('../../README.md', import.meta.url);
const PAGE = new URL('../../docs/getting-started.md', import.meta.url);
const GATE = new URL('../../.ci/run', import.meta.url);

/** What the test has in place of the page's first block: packages, the compiled commands, and the command on the path. */
const INSTALLED = ['npm ci', 'npm run build', 'npm link'];

/** A shell in which somebody types lines of the page. */
class Shell {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #waiters: { text: string; resolve: () => void }[] = [];
  output = '';

  constructor(lines: string, env: Record<string, string>) {
    // the group of its own takes a Ctrl+C
    this.#child = spawn('bash', ['-e', '-u', '-o', 'pipefail', '-c', lines], { env, detached: true });
    this.#ended = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        for (const waiter of this.#waiters) if (this.output.includes(waiter.text)) waiter.resolve();
      });
    }
  }

  /** Resolves when that text was printed. @throws if the lines end before */
  printed(text: string): Promise<void> {
    const seen = new Promise<void>((resolve) => this.#waiters.push({ text, resolve }));
    if (this.output.includes(text)) return Promise.resolve();
    const ended = this.#ended.then(() => {
      if (!this.output.includes(text)) throw new Error(`never printed "${text}":\n${this.output}`);
    });
    return Promise.race([seen, ended]);
  }

  /** @returns the exit code */
  async end(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  /** Presses Ctrl+C. */
  async interrupt(): Promise<void> {
    if (this.#child.pid && this.#child.exitCode === null && this.#child.signalCode === null)
      process.kill(-this.#child.pid, 'SIGINT');
    await this.#ended;
  }
}

/** The code blocks of the page below a heading. */
async function blocksBelow(heading: string): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (!section) throw new Error(`the page has no heading "${heading}"`);
  return blocksOf(section);
}

function blocksOf(text: string): string[] {
  return [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

describe('the README and getting started, typed as the pages say', function () {
  this.timeout(240_000);
  let home: TempDir;
  let env: Record<string, string>;
  let port: number;
  const shells: Shell[] = [];
  const type = (lines: string): Shell => {
    const shell = new Shell(lines, env);
    shells.push(shell);
    return shell;
  };
  const done = async (lines: string): Promise<string> => {
    const shell = type(lines);
    expect(await shell.end(), `${lines}\n${shell.output}`).to.equal(0);
    return shell.output;
  };

  before(async () => {
    home = await makeTempDir();
    port = await freePort();
    const sandboxPort = await freePort();
    const bin = join(home.path, 'bin');
    await mkdir(bin);
    // what `npm link` does
    const command = join(bin, 'switchboard');
    await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${compiledCommand()}" "$@"\n`);
    await chmod(command, 0o755);
    env = {
      HOME: home.path,
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      // the usual ports may be taken on this machine
      SWITCHBOARD_PORT: String(port),
      SWITCHBOARD_URL: `http://127.0.0.1:${port}`,
      SWITCHBOARD_SANDBOX_PORT: String(sandboxPort),
      SWITCHBOARD_SANDBOX_URL: `http://127.0.0.1:${sandboxPort}`,
    };
  });
  after(async () => {
    for (const shell of shells.reverse()) await shell.interrupt();
    await home.remove();
  });

  it('play the demo as the README shows it, and run its tests', async () => {
    const [demo = '', shown = '', tests = ''] = blocksOf(await readFile(README, 'utf8'));
    const install = 'npm ci && ';
    expect([demo, tests].every((line) => line.startsWith(install))).to.equal(true);
    // the packages are installed: to install them again would take them from other tests
    const output = await done(demo.slice(install.length));
    const lines = output.split('\n').map((line) => line.trim());
    const steps = shown.split('\n').map((line) => line.trim().replace(/ \{.*/, ''));
    const promised = steps.filter((line) => /^[▸✓]/.test(line));
    expect(promised).to.have.length.above(4);
    for (const step of promised)
      expect(
        lines.some((line) => line.startsWith(step)),
        step,
      ).to.equal(true);
    // the gate runs both commands of the other line
    const gate = await readFile(GATE, 'utf8');
    for (const command of tests.trim().split(' && ')) expect(gate).to.contain(` ${command}`);
  });

  it('link a number, exchange messages, survive a restart and answer a program', async () => {
    for (const command of blocksOf(await readFile(PAGE, 'utf8'))[0]?.match(/^npm .*?(?= {2}|$)/gm) ?? []) {
      expect(INSTALLED).to.include(command);
    }
    const [block = ''] = await blocksBelow('With the sandbox network');
    const [, first = '', second = '', third = ''] = block.split(/^# \d: .*$/m);
    const daemon = type(first);
    await daemon.printed('listening');
    const tail = type(second);
    await tail.printed('watching');
    expect(await done(third)).to.include('Hello Bob');
    await tail.printed('Hello Alice');

    await daemon.interrupt();
    await type(first).printed('listening');
    const [, , , commands = ''] = await blocksBelow('With the real network');
    const [program = ''] = await blocksBelow('From a program');
    await done('switchboard sandbox phone +15557654321 --name Dora');
    const listed = commands.split('\n').find((line) => line.startsWith('switchboard sessions list')) ?? '';
    expect(await done(`until ${listed} | grep connected; do sleep 0.2; done`)).to.include('acme');
    const sent = commands.split('\n').find((line) => line.startsWith('switchboard send')) ?? '';
    await done(sent);
    expect(await done(program.replace('127.0.0.1:3000', `127.0.0.1:${port}`))).to.include('"status":"sent"');
    expect(await done('switchboard sandbox messages +15557654321')).to.include('Hello from a program');
  });
});
