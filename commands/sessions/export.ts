import { existsSync } from 'node:fs';
import { Flags } from '@oclif/core';
import { passphraseFile } from '../../src/terminal/cli/adopt/sealed-file.js';
import type { DaemonClient } from '../../src/terminal/cli/client.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

interface ExportResult {
  clientId: string;
  file?: string;
  jid?: string;
  keys?: number;
  outcome: 'exported' | 'taken_back' | 'deleted';
}

export default class SessionsExport extends DaemonCommand {
  static override summary = 'Stop a session, and write it to an encrypted file for another Switchboard';
  static override description =
    `The file has credentials, Signal keys and settings, so that the number continues elsewhere without pairing. The session stays stopped \
here and keeps its history, because WhatsApp permits only one connection per link. History, files and failed deliveries are not moved. The \
passphrase comes from --passphrase-file, SWITCHBOARD_PASSPHRASE or the terminal.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme --file acme.session',
    '<%= config.bin %> <%= command.id %> acme --undo',
    '<%= config.bin %> <%= command.id %> acme --delete',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    file: Flags.string({ description: 'file to write; must not exist', helpValue: 'FILE' }),
    'passphrase-file': passphraseFile,
    undo: Flags.boolean({ description: 'use the session here again', exclusive: ['file', 'delete'] }),
    delete: Flags.boolean({
      description: 'delete the exported session here, with its history; its device stays linked',
      exclusive: ['file'],
    }),
    force: Flags.boolean({
      description: 'delete even if events or messages wait or have failed',
      dependsOn: ['delete'],
    }),
    yes: Flags.boolean({ char: 'y', description: 'skip the confirmation' }),
  };

  async run(): Promise<ExportResult> {
    const { args, flags } = await this.parse(SessionsExport);
    const { clientId } = args;
    const client = await this.daemon(flags);
    if (flags.undo) return this.#takeBack(client, clientId);
    if (flags.delete) return this.#delete(client, clientId, flags);
    const { file } = flags;
    if (file === undefined)
      throw new CliError('usage', 'name a file with --file, or give --undo or --delete');
    if (existsSync(file)) {
      throw new CliError('conflict', `${file} exists already`, { suggestions: ['choose another file'] });
    }
    const { readPassphrase, writeSealed } = await import('../../src/terminal/cli/adopt/sealed-file.js');
    const { exportSession, stayingInWords } = await import('../../src/terminal/cli/adopt/export.js');
    const passphrase = await readPassphrase(flags['passphrase-file'], { isNew: true });
    if (!flags.yes) await this.confirm(`Stop ${clientId} here?`);
    try {
      const { line, jid, keys, staying } = await exportSession(client, clientId);
      await writeSealed(file, line, passphrase);
      if (!this.jsonEnabled())
        this.output.line(`${clientId} is stopped here; ${file} has it with ${keys} keys`);
      for (const what of stayingInWords(staying)) this.output.note(`stays here: ${what}`);
      return { clientId, file, jid, keys, outcome: 'exported' };
    } catch (error) {
      this.output.note(
        `if ${clientId} is stopped, use it again with switchboard sessions export ${clientId} --undo`,
      );
      throw error;
    }
  }

  async #takeBack(client: DaemonClient, clientId: string): Promise<ExportResult> {
    await this.#exported(client, clientId);
    await client.reconnect({ clientId });
    if (!this.jsonEnabled()) this.output.line(`${clientId} connects here again`);
    return { clientId, outcome: 'taken_back' };
  }

  async #delete(
    client: DaemonClient,
    clientId: string,
    { force, yes }: { force: boolean; yes: boolean },
  ): Promise<ExportResult> {
    const jid = await this.#exported(client, clientId);
    const { requireDelivered } = await import('../../src/terminal/cli/adopt/adopt-command.js');
    if (!force) await requireDelivered(client, [{ clientId }]);
    if (!yes) await this.confirm(`Delete ${clientId} here, with history and settings?`);
    await client.giveBack({ clientId, jid });
    if (!this.jsonEnabled()) this.output.line(`${clientId} is deleted here; its device stays linked`);
    return { clientId, outcome: 'deleted' };
  }

  /** The own jid of an exported session. @throws CliError */
  async #exported(client: DaemonClient, clientId: string): Promise<string> {
    const [session] = (await client.getFleet({ clientId })).sessions;
    if (!session) throw new CliError('not_found', `there is no session ${clientId}`);
    // check `exportedAt`, because the status is the same if another client took over the link
    if (session.exportedAt !== undefined) return session.jid;
    throw new CliError('conflict', `${clientId} is ${session.status}: it is not exported`);
  }
}
