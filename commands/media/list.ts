import { Flags } from '@oclif/core';
import type { MediaFile } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import type { FilePage } from '../../src/terminal/cli/history.js';

export default class MediaList extends DaemonCommand {
  static override summary = 'List the stored files of a session, newest first';
  static override description = 'Only sessions with a workspace store files.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --limit 200 --page 2 --json',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    limit: Flags.integer({ char: 'n', description: 'files per page', default: 50, min: 1, max: 200 }),
    page: Flags.integer({ description: 'page number, from 1', default: 1, min: 1 }),
  };

  async run(): Promise<FilePage> {
    const { args, flags } = await this.parse(MediaList);
    const { listFiles } = await import('../../src/terminal/cli/history.js');
    const page = await listFiles(await this.daemon(flags), args.clientId, flags);
    if (!this.jsonEnabled()) await this.show(page);
    return page;
  }

  private async show({ files, pagination }: FilePage): Promise<void> {
    if (files.length === 0) return this.output.note('no files');
    const { sizeText, timeText } = await import('../../src/terminal/cli/history.js');
    const { plainLine } = await import('../../src/domain/text.js');
    const row = ({ createdAt, mediaType, fileSize, fileName, messageId }: MediaFile) => [
      timeText(new Date(createdAt)),
      mediaType,
      sizeText(fileSize),
      plainLine(fileName),
      messageId,
    ];
    await this.output.table(['STORED', 'TYPE', 'SIZE', 'NAME', 'ID'], files.map(row));
    const { page, limit, total } = pagination;
    if (page * limit < total) this.output.note(`more of ${total}: --page ${page + 1}`);
  }
}
