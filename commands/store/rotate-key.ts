import { Flags } from '@oclif/core';
import type { KeyRotationResult } from '../../src/local/store/rotate-key.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';

export default class StoreRotateKey extends BaseCommand {
  static override summary = 'Change the key that encrypts the store';
  static override description =
    `Stop every daemon that uses the store first. Replaces a key in the data directory by a new one there. If you keep the key yourself, \
set SWITCHBOARD_ENCRYPTION_KEY and SWITCHBOARD_NEW_ENCRYPTION_KEY, and start the daemon with the new key afterwards. Numbers stay linked \
and API secrets stay valid. After an interruption, run the command again: both keys are kept until it completes.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --data-dir /var/lib/switchboard --json',
    'SWITCHBOARD_ENCRYPTION_KEY=$OLD SWITCHBOARD_NEW_ENCRYPTION_KEY=$NEW <%= config.bin %> <%= command.id %>',
  ];
  static override flags = {
    'data-dir': Flags.string({
      description: 'data directory of the daemon',
      env: 'SWITCHBOARD_DATA_DIR',
    }),
    store: Flags.string({
      description: 'sqlite, or a mongodb:// or mongodb+srv:// URL',
      env: 'SWITCHBOARD_STORE',
    }),
    from: Flags.string({
      description: 'current key, if it is not in the data directory',
      env: 'SWITCHBOARD_ENCRYPTION_KEY',
    }),
    to: Flags.string({
      description: 'new key: 32 bytes as hex or base64',
      env: 'SWITCHBOARD_NEW_ENCRYPTION_KEY',
    }),
  };

  async run(): Promise<KeyRotationResult> {
    const { flags } = await this.parse(StoreRotateKey);
    const { dataDir, store, encryptionKey } = await this.#settings(flags);
    const { rotateKey } = await import('../../src/local/store/rotate-key.js');
    const { rotateEncryptionKey } = await import('../../src/gateway/store/open.js');
    const result = await rotateKey({
      dataDir,
      from: encryptionKey,
      to: flags.to || undefined,
      rewrap: (from, to) => rotateEncryptionKey({ url: store, dataDir, from, to }),
    });
    if (!this.jsonEnabled()) this.output.line(summary(result));
    return result;
  }

  async #settings(flags: { 'data-dir'?: string; store?: string; from?: string }) {
    const { readSettings } = await import('../../src/gateway/config/load.js');
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

function summary({ sessions, keyFile }: KeyRotationResult): string {
  const what = `${sessions} ${sessions === 1 ? 'session is' : 'sessions are'} under the new key`;
  return keyFile ? `${what}, stored in ${keyFile}` : `${what}: start the daemon with that key`;
}
