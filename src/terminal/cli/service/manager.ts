import { execFile, spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CliError } from '../errors.js';
import { LABEL, launchdPlist, SERVICE, type ServicePlan, systemdUnit } from './unit.js';

const run = promisify(execFile);

type Scope = ServicePlan['scope'];

/** State of the service. */
export interface ServiceState {
  installed: boolean;
  /** True if the service runs now. */
  active: boolean;
  /** State in the words of the service manager, such as `active (running)`. */
  state: string;
  /** File of the service. */
  path: string;
}

/** The service manager of a platform. */
export interface ServiceManager {
  path(scope: Scope): string;
  /** Text of the service's file. */
  text(plan: ServicePlan): string;
  /** Command that unloads an installed service before a new one is enabled; fails if there is none. */
  unload?(scope: Scope): readonly string[];
  /** Commands that start the service of a written file, now and at each start of the machine; a running service is restarted. */
  enable(scope: Scope): readonly string[][];
  /** Commands before the file is removed. */
  disable(scope: Scope): readonly string[][];
  /** Command that asks for the state, and a parser for its output. */
  state(scope: Scope): readonly string[];
  readState(output: string): Pick<ServiceState, 'active' | 'state'>;
  logs(scope: Scope, options: { follow: boolean; lines: number }): readonly string[];
}

const systemctl = (scope: Scope, ...words: string[]) => [
  'systemctl',
  ...(scope === 'user' ? ['--user'] : []),
  ...words,
];

const systemd: ServiceManager = {
  path: (scope) =>
    scope === 'system'
      ? `/etc/systemd/system/${SERVICE}.service`
      : join(
          process.env.XDG_CONFIG_HOME || join(homedir(), '.config'),
          'systemd',
          'user',
          `${SERVICE}.service`,
        ),
  text: systemdUnit,
  enable: (scope) => [
    systemctl(scope, 'daemon-reload'),
    systemctl(scope, 'enable', SERVICE),
    systemctl(scope, 'restart', SERVICE),
  ],
  disable: (scope) => [systemctl(scope, 'disable', '--now', SERVICE)],
  state: (scope) => systemctl(scope, 'show', '--property=ActiveState,SubState', SERVICE),
  readState: (output) => {
    const [, active = ''] = /^ActiveState=(.*)$/m.exec(output) ?? [];
    const [, sub = ''] = /^SubState=(.*)$/m.exec(output) ?? [];
    return { active: active === 'active', state: sub ? `${active} (${sub})` : active };
  },
  logs: (scope, { follow, lines }) => [
    'journalctl',
    ...(scope === 'user' ? ['--user'] : []),
    ...['--unit', SERVICE, '--lines', String(lines)],
    ...(follow ? ['--follow'] : []),
  ],
};

const launchdLog = () => join(homedir(), 'Library', 'Logs', `${SERVICE}.log`);
const launchdDomain = () => `gui/${process.getuid?.() ?? ''}`;

/** launchd, only for services of the user (see `scopeOn`). */
const launchd: ServiceManager = {
  path: () => join(homedir(), 'Library', 'LaunchAgents', `${LABEL}.plist`),
  text: (plan) => launchdPlist(plan, launchdLog()),
  unload: () => ['launchctl', 'bootout', `${launchdDomain()}/${LABEL}`],
  enable: (scope) => [['launchctl', 'bootstrap', launchdDomain(), launchd.path(scope)]],
  disable: () => [['launchctl', 'bootout', `${launchdDomain()}/${LABEL}`]],
  state: () => ['launchctl', 'print', `${launchdDomain()}/${LABEL}`],
  readState: (output) => {
    const [, state = 'not loaded'] = /^\s*state = (.*)$/m.exec(output) ?? [];
    return { active: state === 'running', state };
  },
  logs: (_scope, { follow, lines }) => [
    'tail',
    ...(follow ? ['-f'] : []),
    ...['-n', String(lines), launchdLog()],
  ],
};

/** @throws CliError `usage` for a service of the whole machine on macOS, where it would run as root */
export function scopeOn(platform: NodeJS.Platform, isSystem: boolean): Scope {
  if (!isSystem) return 'user';
  if (platform !== 'darwin') return 'system';
  throw new CliError('usage', '--system: on macOS the service would run as root', {
    suggestions: ['leave out --system: the service of this user'],
  });
}

/** The manager of a platform; undefined where services can only be printed. */
export function serviceManager(platform: NodeJS.Platform): ServiceManager | undefined {
  if (platform === 'linux') return systemd;
  return platform === 'darwin' ? launchd : undefined;
}

/** @throws CliError `conflict` */
export function requireManager(platform: NodeJS.Platform = process.platform): ServiceManager {
  const manager = serviceManager(platform);
  if (manager) return manager;
  throw new CliError('conflict', `services of ${platform} are not managed by this command`, {
    suggestions: ['print a unit of systemd to adapt: switchboard service install --print'],
  });
}

/** Writes the file of the service, and starts it. @throws CliError `failure` */
export async function install(manager: ServiceManager, plan: ServicePlan): Promise<string> {
  const path = manager.path(plan.scope);
  await writing(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, manager.text(plan), { mode: 0o644 });
  });
  const unload = manager.unload?.(plan.scope);
  if (unload) await call(unload).catch(() => undefined);
  for (const command of manager.enable(plan.scope)) await call(command);
  return path;
}

/** Stops the service and removes its file; its data stays. @throws CliError `not_found`, `failure` */
export async function uninstall(manager: ServiceManager, scope: Scope): Promise<string> {
  const path = manager.path(scope);
  if (!(await exists(path))) throw notInstalled(scope);
  for (const command of manager.disable(scope)) await call(command);
  await writing(path, () => rm(path, { force: true }));
  return path;
}

export function notInstalled(scope: Scope): CliError {
  return new CliError('not_found', `there is no ${scope} service of Switchboard`, {
    suggestions: [`install it: switchboard service install${scope === 'system' ? ' --system' : ''}`],
  });
}

export async function stateOf(manager: ServiceManager, scope: Scope): Promise<ServiceState> {
  const path = manager.path(scope);
  const installed = await exists(path);
  const [program = '', ...words] = manager.state(scope);
  // for some managers an unknown service is an error
  const output = await run(program, words).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return { installed, path, ...manager.readState(output) };
}

/** Shows the log on this terminal until the command ends. @returns the exit code of the command */
export function showLogs(command: readonly string[]): Promise<number> {
  const [program = '', ...words] = command;
  const child = spawn(program, words, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new CliError('failure', `${program} cannot be run`, { cause: error })),
    );
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function call(command: readonly string[]): Promise<void> {
  const [program = '', ...words] = command;
  try {
    await run(program, words);
  } catch (error) {
    const told = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new CliError('failure', `${command.join(' ')} failed${told ? `: ${told}` : ''}`, {
      suggestions: ['print the file and install it by hand: switchboard service install --print'],
      cause: error,
    });
  }
}

async function writing(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new CliError('failure', `${path} cannot be written`, {
      suggestions: [
        'for a service of the whole machine, run it as root: sudo switchboard service install --system',
      ],
      cause: error,
    });
  }
}

function exists(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    () => false,
  );
}
