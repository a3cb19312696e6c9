import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Args } from '@oclif/core';
import type { BackupContents } from '../../src/gateway/store/open.js';
import {
  contentsInWords,
  explained,
  type NamedStore,
  STORE_FLAGS,
  withStore,
} from '../../src/local/store/access.js';
import {
  answeredBytes,
  foundOrigin,
  namedOrigin,
  noDaemonEither,
  otherDaemon,
  storeText,
} from '../../src/local/store/backup.js';
import { type DaemonClient, findToken } from '../../src/terminal/cli/client.js';
import { DaemonCommand, type DaemonFlags } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { listenForInterrupt } from '../../src/terminal/cli/terminal.js';

type Written = BackupContents & {
  bytes: number;
  /** URL of the daemon that made the backup. */
  daemon?: string;
};

type ParsedBackup = Parameters<typeof namedOrigin>[0] & { flags: DaemonFlags & NamedStore };

export default class StoreBackup extends DaemonCommand {
  static override summary = 'Write a backup of the store to a file';
  static override description =
    `Downloads the backup from a daemon: the one that --url or --context names, the context in use, or one on this machine. \
Needs the master token. With --data-dir or --store, reads that store directly. Prints the store of the backup, and stops if the choice of \
store is ambiguous.

The daemon may keep running. The backup has all sessions, their messages and files, so that they can be restored without \
pairing: into SQLite or MongoDB. The encryption key of the store is not in it, and a restore needs that key: keep a copy of \
it elsewhere.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> /var/backups/switchboard.backup',
    '<%= config.bin %> <%= command.id %> switchboard.backup --context production',
    '<%= config.bin %> <%= command.id %> switchboard.backup --data-dir /var/lib/switchboard',
    '<%= config.bin %> <%= command.id %> "switchboard-$(date +%F).backup" --json',
  ];
  static override args = {
    path: Args.string({ required: true, description: 'file to write; must not exist' }),
  };
  static override flags = { ...STORE_FLAGS };

  async run(): Promise<object> {
    const parsed = await this.parse(StoreBackup);
    const { path } = parsed.args;
    if (existsSync(path)) {
      throw new CliError('conflict', `${path} exists already`, { suggestions: ['choose another file'] });
    }
    const folder = dirname(path);
    if (!existsSync(folder)) {
      throw new CliError('not_found', `there is no folder ${folder}`, {
        suggestions: [`make it: mkdir -p ${folder}`],
      });
    }
    const interrupt = listenForInterrupt();
    try {
      return this.#report(path, await this.#write(path, parsed, interrupt.signal));
    } catch (error) {
      if (interrupt.signal.aborted) throw new CliError('interrupted', 'interrupted: no file was written');
      throw error;
    } finally {
      interrupt.release();
    }
  }

  async #write(path: string, parsed: ParsedBackup, signal: AbortSignal): Promise<Written> {
    const { flags } = parsed;
    const named = namedOrigin(parsed);
    if (named === 'store') return this.#readStore(path, flags, signal);
    const client = await this.daemon(flags, signal);
    if (named === 'daemon') return this.#download(path, client, signal);
    const dataDir = this.dataDir(flags);
    const hasToken = Boolean(flags.token || (await findToken(client.url, dataDir)));
    if ((await foundOrigin(client, { hasToken, dataDir })) === 'store') {
      return this.#readStore(path, flags, signal).catch((error: unknown) => {
        throw noDaemonEither(error, client.url);
      });
    }
    return this.#download(path, client, signal).catch((error: unknown) => {
      throw otherDaemon(error, client.url, dataDir);
    });
  }

  async #readStore(path: string, flags: ParsedBackup['flags'], signal: AbortSignal): Promise<Written> {
    const { openBackup } = await import('../../src/gateway/store/open.js');
    const { CountLine } = await import('../../src/terminal/cli/progress.js');
    const counted = new CountLine((count) => `${count} records written`);
    const createdAt = new Date().toISOString();
    const options = { path, createdAt, release: this.config.version, counted, signal };
    return withStore(flags, this.config.dataDir, openBackup, (store) => store.write(options)).finally(() =>
      counted.end(),
    );
  }

  async #download(path: string, client: DaemonClient, signal: AbortSignal): Promise<Written> {
    const { receiveBackup } = await import('../../src/gateway/store/open.js');
    const { CountLine } = await import('../../src/terminal/cli/progress.js');
    const counted = new CountLine((count) => `${Math.floor(count / 1024)} KB received`);
    const answer = await client.downloadBackup();
    try {
      const bytes = answeredBytes(answer, client.url, signal);
      return { ...(await receiveBackup(bytes, { path, counted })), daemon: client.url };
    } catch (error) {
      throw explained(error);
    } finally {
      answer.destroy();
      counted.end();
    }
  }

  #report(path: string, { sessions, ...rest }: Written): object {
    const { messages, files, missingFiles, daemon } = rest;
    if (missingFiles > 0) this.output.warning(`the bytes of ${missingFiles} files are missing in the store`);
    if (!this.jsonEnabled()) {
      const through = daemon === undefined ? '' : `, through the daemon at ${daemon}`;
      const contents = contentsInWords({ sessions, messages, files });
      this.output.line(`${contents} are in ${path}: a backup of ${storeText(rest)}${through}`);
      this.output.note(
        'the encryption key of the store is not in the file, and a restore needs it: keep a copy of the key elsewhere',
      );
    }
    return { path, ...rest, sessions: sessions.length, encryptionKeyIncluded: false };
  }
}
