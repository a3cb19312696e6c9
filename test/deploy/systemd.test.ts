import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { scopeOn, serviceManager } from '../../src/terminal/cli/service/manager.js';
import { launchdPlist, systemdUnit } from '../../src/terminal/cli/service/unit.js';
import { type CliEnd, runCli } from '../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const run = promisify(execFile);
const DOCS = new URL('../../docs/deploy/', import.meta.url);
const PROGRAM = '/usr/local/bin/switchboard';
const NAMES = ['switchboard.service', 'switchboard-backup.service', 'switchboard-backup.timer'] as const;

/** Writes its arguments, one call per line, and prints a state. */
const RECORDER = `#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in *show*) printf 'ActiveState=%s\\nSubState=running\\n' "$STATE" ;; esac
`;

describe('the units of systemd', () => {
  let folder: TempDir;

  beforeEach(async () => {
    folder = await makeTempDir();
  });
  afterEach(() => folder.remove());

  /** The test machine has no Switchboard: a program that is there takes its place. */
  const place = (name: string, text: string) =>
    writeFile(join(folder.path, name), text.replaceAll(PROGRAM, process.execPath));

  it('are valid for systemd-analyze as documented', async () => {
    for (const name of NAMES) await place(name, await readFile(new URL(name, DOCS), 'utf8'));
    const paths = NAMES.map((name) => join(folder.path, name));
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', ...paths]);
    expect(`${stdout}${stderr}`).to.equal('');
  });

  it('are documented as `service install --system` writes them', async () => {
    const text = await readFile(new URL('switchboard.service', DOCS), 'utf8');
    const unit = systemdUnit({
      scope: 'system',
      command: [PROGRAM, 'start'],
      dataDir: undefined,
      needsHome: false,
    });
    const withoutComment = (unitText: string) => unitText.replace(/^#.*\n/, '');
    expect(withoutComment(text)).to.equal(withoutComment(unit));
  });

  for (const scope of ['system', 'user'] as const) {
    it(`are valid for the ${scope} with arguments that systemd would otherwise interpret`, async () => {
      const command = [process.execPath, '/opt/a folder/$x 100%.js', 'start', '--token', 'a"b\\c'];
      const unit = systemdUnit({ scope, command, dataDir: '/srv/my $data', needsHome: true });
      await place('switchboard.service', unit);
      const { stdout, stderr } = await run('systemd-analyze', [
        'verify',
        '--man=no',
        join(folder.path, 'switchboard.service'),
      ]);
      expect(`${stdout}${stderr}`).to.equal('');
      expect(unit).to.contain('"/opt/a folder/$$x 100%%.js" start --token "a\\"b\\\\c"');
      // systemd expands $ in ExecStart only
      expect(unit).to.contain('Environment="SWITCHBOARD_DATA_DIR=/srv/my $data"\n');
    });
  }

  it('have a counterpart for launchd, with texts escaped', () => {
    const plan = {
      scope: 'user' as const,
      command: ['/usr/bin/node', 'a&b', 'start'],
      dataDir: '/d<e',
      needsHome: true,
    };
    const text = launchdPlist(plan, '/tmp/x.log');
    expect(text).to.contain('<string>a&amp;b</string>').and.contain('<string>/d&lt;e</string>');
  });
});

describe('the service of launchd', () => {
  it('exists for the user only, because a service of the machine would run as root', () => {
    expect(() => scopeOn('darwin', true)).to.throw('--system');
    expect([scopeOn('darwin', false), scopeOn('linux', true)]).to.deep.equal(['user', 'system']);
  });

  it('is unloaded before it is loaded again', () => {
    const manager = serviceManager('darwin');
    expect(manager?.unload?.('user').slice(0, 2)).to.deep.equal(['launchctl', 'bootout']);
    expect(manager?.enable('user').map(([, verb]) => verb)).to.deep.equal(['bootstrap']);
  });
});

describe('switchboard service', () => {
  let folder: TempDir;
  let env: Record<string, string>;

  beforeEach(async () => {
    folder = await makeTempDir();
    for (const name of ['systemctl', 'journalctl']) {
      await writeFile(join(folder.path, name), RECORDER);
      await chmod(join(folder.path, name), 0o700);
    }
    env = {
      PATH: `${folder.path}:${process.env.PATH}`,
      XDG_CONFIG_HOME: folder.path,
      CALLS: join(folder.path, 'calls'),
      STATE: 'active',
    };
  });
  afterEach(() => folder.remove());

  const service = (...argv: string[]): Promise<CliEnd> => runCli(['service', ...argv], { env });
  const calls = async () => (await readFile(env.CALLS ?? '', 'utf8')).trim().split('\n');
  const unitPath = () => join(folder.path, 'systemd', 'user', 'switchboard.service');

  it('installs, shows and removes the service of the user', async () => {
    const installed = await service('install', '--data-dir', folder.path, '--', '--port', '3456');
    expect(installed).to.include({ exitCode: 0, stderr: '', stdout: `installed ${unitPath()}; it runs\n` });
    expect(await readFile(unitPath(), 'utf8'))
      .to.match(/^ExecStart=\S+ \S+run\.js start --port 3456$/m)
      .and.contain(`SWITCHBOARD_DATA_DIR=${folder.path}`)
      .and.match(/^Type=notify$/m)
      .and.match(/^WatchdogSec=60$/m);
    const status = await service('status');
    expect(status).to.include({ exitCode: 0 });
    expect(status.stdout).to.match(/^state +active \(running\)$/m);
    expect((await service('logs', '--lines', '7', '--follow')).exitCode).to.equal(0);
    expect((await runCli(['logs', '--lines', '8'], { env })).exitCode).to.equal(0);
    expect((await service('uninstall', '--yes')).stdout).to.equal(`removed ${unitPath()}\n`);
    expect(await calls()).to.deep.equal([
      'systemctl --user daemon-reload',
      'systemctl --user enable switchboard',
      'systemctl --user restart switchboard',
      'systemctl --user show --property=ActiveState,SubState switchboard',
      'systemctl --user show --property=ActiveState,SubState switchboard',
      'journalctl --user --unit switchboard --lines 7 --follow',
      'systemctl --user show --property=ActiveState,SubState switchboard',
      'journalctl --user --unit switchboard --lines 8',
      'systemctl --user disable --now switchboard',
    ]);
  });

  it('exits with 5 when it is not installed, and with 6 when it does not run', async () => {
    expect((await service('status')).exitCode).to.equal(5);
    expect((await service('logs')).exitCode).to.equal(5);
    expect((await service('uninstall', '--yes')).exitCode).to.equal(5);
    await service('install');
    env.STATE = 'failed';
    expect((await service('status', '--json')).exitCode).to.equal(6);
  });

  it('refuses flags with a secret, and names the file for it', async () => {
    for (const words of [
      ['--token', 'x'],
      ['--encryption-key=x'],
      ['--port', '1', '--store', 'mongodb://me:x@db'],
    ]) {
      const { stderr, exitCode } = await service('install', '--print', '--system', '--', ...words);
      expect(exitCode).to.equal(2);
      expect(stderr).to.contain('/etc/switchboard/switchboard.env').and.not.contain('me:x');
    }
    const open = await service('install', '--print', '--', '--store', 'mongodb://127.0.0.1/db');
    expect(open.exitCode).to.equal(0);
  });

  it('writes the data directory as an absolute path', async () => {
    const { stdout } = await service('install', '--print', '--data-dir', 'here');
    expect(stdout).to.match(/^Environment=SWITCHBOARD_DATA_DIR=\/.*\/here$/m);
  });

  it('prints the unit, and changes nothing', async () => {
    const { stdout, exitCode } = await service('install', '--print', '--system');
    expect(exitCode).to.equal(0);
    expect(stdout)
      .to.match(/^DynamicUser=yes$/m)
      .and.match(/^StateDirectory=switchboard$/m);
    expect(await readFile(env.CALLS ?? '', 'utf8').catch(() => 'none')).to.equal('none');
  });

  it('refuses arguments with which the daemon would not start, before anything is written', async () => {
    for (const words of [
      ['--tokn', '3'],
      ['--port', 'abc'],
    ]) {
      const { stderr, exitCode } = await service('install', '--print', '--', ...words);
      expect(stderr).to.contain('switchboard start would refuse these flags').and.contain(words[0]?.slice(2));
      expect(exitCode).to.equal(2);
    }
  });

  it('explains a service manager that refuses', async () => {
    await writeFile(
      join(folder.path, 'systemctl'),
      '#!/bin/sh\necho "Failed to connect to bus" >&2\nexit 1\n',
    );
    const { stderr, exitCode } = await service('install');
    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('Failed to connect to bus').and.contain('service install --print');
  });
});
