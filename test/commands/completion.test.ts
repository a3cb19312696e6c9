import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import Completion from '../../commands/completion.js';
import { FakeDaemon } from '../cli/support/fake-daemon.js';
import { compiledCommand } from '../support/compiled.js';
import { runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const run = promisify(execFile);

/** Completes as bash does when somebody presses Tab; prints what it found, one below the other. */
const BASH = `
source <(switchboard completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_switchboard
printf '%s\\n' "\${COMPREPLY[@]}"
`;

describe('switchboard completion', function () {
  this.timeout(120_000);
  let daemon: FakeDaemon;
  let folder: TempDir;

  before(async () => {
    daemon = await FakeDaemon.start();
    daemon.on('GET /clients', { clients: [{ clientId: 'acme' }, { clientId: 'beta' }] });
    folder = await makeTempDir();
    const program = join(folder.path, 'switchboard');
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${compiledCommand()}' "$@"\n`);
    await chmod(program, 0o700);
  });
  after(async () => {
    await daemon.stop();
    await folder.remove();
  });

  async function completed(...words: string[]): Promise<string[]> {
    const env = {
      PATH: `${folder.path}:${process.env.PATH}`,
      SWITCHBOARD_URL: daemon.url,
      SWITCHBOARD_TOKEN: 't',
    };
    const { stdout } = await run('bash', ['--norc', '-c', BASH, 'bash', 'switchboard', ...words], { env });
    return stdout.trim().split('\n');
  }

  it('names topics in a real bash', async () => {
    expect(await completed('se')).to.deep.equal(['send', 'sessions']);
  });

  it('names sessions in a real bash', async () => {
    expect(await completed('sessions', 'show', 'b')).to.deep.equal(['beta']);
  });

  it('names the values of a flag in a real bash', async () => {
    expect(await completed('sessions', 'webhook', 'acme', '--extra-event', '=', 'm')).to.deep.equal([
      'message_status',
    ]);
  });

  for (const [shell, sign] of [
    ['bash', 'complete -F _switchboard switchboard'],
    ['zsh', '#compdef switchboard'],
    ['fish', 'complete -c switchboard'],
  ] as const) {
    it(`prints a script for ${shell}`, async () => {
      const { stdout, exitCode } = await runCommand(Completion, [shell]);
      expect(exitCode).to.equal(0);
      expect(stdout).to.contain(sign).and.contain('switchboard complete -- ').and.not.match(/@\w+@/);
    });
  }

  it('refuses a shell that it does not know', async () => {
    expect((await runCommand(Completion, ['powershell'])).exitCode).to.equal(2);
  });
});
