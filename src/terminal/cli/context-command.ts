import { Args } from '@oclif/core';
import { BaseCommand } from './command.js';
import { type Contexts, contextsPath, readContexts, writeContexts } from './contexts.js';

/** A command on the list of named daemons, without a call to any of them. */
export abstract class ContextCommand extends BaseCommand {
  protected read(): Promise<Contexts> {
    return readContexts(this.#path);
  }

  protected write(contexts: Contexts): Promise<void> {
    return writeContexts(this.#path, contexts);
  }

  get #path(): string {
    return contextsPath(this.config.configDir);
  }
}

export function contextArg() {
  return Args.string({ name: 'CONTEXT', required: true, description: 'name of the daemon' });
}
