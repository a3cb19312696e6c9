import { Flags } from '@oclif/core';
import { BaseCommand } from '../../src/cli/base-command.js';
import { CliError } from '../../src/cli/cli-error.js';
import type { KeyRotationResult } from '../../src/cli/rotate-key.js';

export default class StoreRotateKey extends BaseCommand {
  static override summary = 'Change the key that encrypts the store';
  static override description =
    `Stop the daemon first: with MongoDB, every daemon that uses the store. A key in the data
directory is replaced by a new one there. A key of your own is changed from
SWITCHBOARD_ENCRYPTION_KEY to SWITCHBOARD_NEW_ENCRYPTION_KEY; start the daemon with that
one from then on. Numbers stay linked, and API secrets stay valid. When it was
interrupted, run it again: until then both keys are kept.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --data-dir /var/lib/switchboard --json',
    'SWITCHBOARD_ENCRYPTION_KEY=$OLD SWITCHBOARD_NEW_ENCRYPTION_KEY=$NEW <%= config.bin %> <%= command.id %>',
  ];
  static override flags = {
    'data-dir': Flags.string({
      description: "the daemon's data directory",
      env: 'SWITCHBOARD_DATA_DIR',
    }),
    store: Flags.string({
      description: 'sqlite, or a mongodb:// or mongodb+srv:// URL',
      env: 'SWITCHBOARD_STORE',
    }),
    from: Flags.string({
      description: 'the key until now, when it is not kept in the data directory',
      env: 'SWITCHBOARD_ENCRYPTION_KEY',
    }),
    to: Flags.string({
      description: 'the key from now on: 32 bytes as hex or base64',
      env: 'SWITCHBOARD_NEW_ENCRYPTION_KEY',
    }),
  };

  async run(): Promise<KeyRotationResult> {
    const { flags } = await this.parse(StoreRotateKey);
    const { dataDir, store, encryptionKey } = await this.#settings(flags);
    const { rotateKey } = await import('../../src/cli/rotate-key.js');
    const { rotateEncryptionKey } = await import('../../src/store/open.js');
    const result = await rotateKey({
      dataDir,
      from: encryptionKey,
      to: flags.to || undefined,
      rewrap: (from, to) => rotateEncryptionKey({ url: store, dataDir, from, to }),
    });
    if (!this.jsonEnabled()) this.output.line(told(result));
    return result;
  }

  /** What a daemon started here would find, the settings file included. */
  async #settings(flags: { 'data-dir'?: string; store?: string; from?: string }) {
    const { readSettings } = await import('../../src/config/load.js');
    const named = {
      dataDir: flags['data-dir'] || undefined,
      store: flags.store || undefined,
      encryptionKey: flags.from || undefined,
    };
    try {
      return await readSettings({ flags: named, env: process.env, defaultDataDir: this.config.dataDir });
    } catch (cause) {
      throw new CliError('usage', cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }
}

function told({ sessions, keyFile }: KeyRotationResult): string {
  const what = `${sessions} ${sessions === 1 ? 'session is' : 'sessions are'} under the new key`;
  return keyFile ? `${what}, which is kept in ${keyFile}` : `${what}: start the daemon with it from now on`;
}
