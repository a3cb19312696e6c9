import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Config, Help } from '@oclif/core';
import { captureOutput } from '@oclif/test';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The project with its commands, run from their sources. */
async function load(): Promise<Config> {
  const pjson = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'));
  return Config.load({ root: ROOT, pjson: { ...pjson, oclif: { ...pjson.oclif, commands: './commands' } } });
}

describe('the help of the command line', () => {
  let config: Config;

  before(async () => {
    config = await load();
  });

  it('knows the commands that the main job needs', () => {
    expect(config.commandIDs).to.include.members([
      'start',
      'pair',
      'send:text',
      'tail',
      'doctor',
      'sandbox:start',
    ]);
  });

  it('explains every command with examples', async () => {
    for (const id of config.commandIDs) {
      const words = id.split(':');
      const { stdout } = await captureOutput(() => new Help(config).showHelp(words));
      expect(stdout, id).to.contain('EXAMPLES').and.contain('USAGE').and.contain('--json');
      expect(stdout, id).to.contain(`switchboard ${words.join(' ')}`);
    }
  });

  it('names every topic and every command without one', async () => {
    const { stdout } = await captureOutput(() => new Help(config).showHelp([]));
    for (const id of config.commandIDs) expect(stdout).to.contain(id.split(':')[0]);
  });
});
