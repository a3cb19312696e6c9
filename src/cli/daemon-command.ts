import { Flags } from '@oclif/core';
import { BaseCommand } from './base-command.js';
import { DaemonClient } from './client.js';
import { httpUrl } from './flags.js';
import { findToken, tokenPath } from './token.js';

const GROUP = 'DAEMON';

/** A command that talks to a daemon. */
export abstract class DaemonCommand extends BaseCommand {
  static override baseFlags = {
    url: httpUrl({
      description: 'address of the daemon',
      env: 'SWITCHBOARD_URL',
      helpValue: 'URL',
      default: 'http://127.0.0.1:3000',
      helpGroup: GROUP,
    }),
    token: Flags.string({
      description: 'API token; without it the one in the data directory, for a daemon on this machine',
      env: 'SWITCHBOARD_TOKEN',
      helpValue: 'TOKEN',
      helpGroup: GROUP,
    }),
    'data-dir': Flags.directory({
      description: "the daemon's data directory, where its token is kept",
      env: 'SWITCHBOARD_DATA_DIR',
      helpValue: 'DIR',
      helpGroup: GROUP,
    }),
  };

  /** The daemon that the flags name. */
  protected async daemon(flags: DaemonFlags, signal?: AbortSignal): Promise<DaemonClient> {
    const dataDir = this.dataDir(flags);
    const token = flags.token || (await findToken(flags.url, dataDir));
    return new DaemonClient({ url: flags.url, token, tokenPath: tokenPath(dataDir), signal });
  }

  protected dataDir(flags: DaemonFlags): string {
    return flags['data-dir'] ?? this.config.dataDir;
  }
}

export interface DaemonFlags {
  url: string;
  token?: string;
  'data-dir'?: string;
}
