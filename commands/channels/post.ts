import { randomUUID } from 'node:crypto';
import { Args, Flags } from '@oclif/core';
import type { ChannelPostAnswer } from '../../src/contract/index.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { clientIdArg, FIELD_WORDS } from '../../src/terminal/cli/flags.js';
import { SendCommand } from '../../src/terminal/cli/send-command.js';

export default class ChannelsPost extends SendCommand {
  static override summary = 'Post a text, a picture or a video in a channel';
  static override description =
    'The number must be the owner or an admin of the channel. The daemon downloads an http(s) URL itself; a local file is uploaded.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@newsletter "The ice is thick enough"',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@newsletter "The lake today" --file lake.jpg',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@newsletter --file https://example.com/tour.mp4',
  ];
  static override args = {
    clientId: clientIdArg(),
    channelJid: Args.string({ required: true, description: FIELD_WORDS.channelJid }),
    body: Args.string({ description: 'the text, or the caption of the file' }),
  };
  static override flags = {
    file: Flags.string({
      description: 'path of a picture or a video, or its http(s) URL',
      helpValue: 'SOURCE',
    }),
  };

  protected override isKeepable = false;

  async run(): Promise<ChannelPostAnswer> {
    const { args, flags } = await this.parse(ChannelsPost);
    const { clientId, channelJid, body = '' } = args;
    const { file, 'idempotency-key': key = randomUUID() } = flags;
    if (file === undefined && body === '')
      throw new CliError('usage', 'what to post?', { suggestions: ['give a text, or a file with --file'] });
    const { detectType, isAddress, openUpload } = await import('../../src/terminal/cli/send-media.js');
    const { explainLostAnswer } = await import('../../src/terminal/cli/send.js');
    const client = await this.daemon(flags);
    const posting = { clientId, channelJid, body };
    if (file === undefined || isAddress(file)) {
      const request = { ...posting, downloadUrl: file };
      const sent = () => client.postChannel(request, { idempotencyKey: key });
      return this.report(await explainLostAnswer(key, sent));
    }
    const form = await openUpload(file, await detectType(file), posting, () => undefined);
    return this.report(await explainLostAnswer(key, () => client.uploadPost(clientId, form, key)));
  }
}
