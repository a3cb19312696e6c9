import type { Hook } from '@oclif/core';
import { reportUnknownCommand } from './unknown-command.js';

/** oclif runs this hook in place of a command that does not exist. */
const hook: Hook<'command_not_found'> = async ({ id, argv = [], config }) => {
  reportUnknownCommand(config, [...id.split(':'), ...argv]);
};

export default hook;
