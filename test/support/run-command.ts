import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Config } from '@oclif/core';
import { captureOutput } from '@oclif/test';

/** A command's class, as far as running it goes. */
interface Runnable {
  run(argv: string[], config: Config): Promise<unknown>;
}

export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let loaded: Promise<Config> | undefined;

/**
 * Runs a command in this process: what it prints, and the exit code that it leaves.
 * @param env variables that it sees on top of this process's; undefined takes one away.
 */
export async function runCommand(
  command: Runnable,
  argv: string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<CommandResult> {
  const config = await loadConfig();
  const restore = changeEnvironment({ NO_COLOR: '1', ...env });
  const formerExitCode = process.exitCode;
  process.exitCode = undefined;
  try {
    const { stdout, stderr, error } = await captureOutput(() => command.run(argv, config));
    if (error) throw error;
    return { stdout, stderr, exitCode: Number(process.exitCode ?? 0) };
  } finally {
    process.exitCode = formerExitCode;
    restore();
  }
}

/** Loads the project without its commands: tests bring the class that they run. */
function loadConfig(): Promise<Config> {
  const pjson = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
  delete pjson.oclif.commands;
  loaded ??= Config.load({ root: ROOT, pjson });
  return loaded;
}

function changeEnvironment(env: Readonly<Record<string, string | undefined>>): () => void {
  const former = Object.keys(env).map((name) => [name, process.env[name]] as const);
  const apply = ([name, value]: readonly [string, string | undefined]) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  Object.entries(env).forEach(apply);
  return () => former.forEach(apply);
}
