import { Args, Flags } from '@oclif/core';
import type { StatusAnswer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg, MESSAGE_FLAGS } from '../../src/terminal/cli/flags.js';
import { counted } from '../../src/terminal/cli/text.js';

export default class StatusesPost extends DaemonCommand {
  static override summary = 'Post a status: a text, a picture or a video that contacts see for 24 hours';
  static override description =
    `Exits with 0 only after WhatsApp has acknowledged the status. The people who get it are the contacts \
in the address book of the linked phone whom \`switchboard statuses privacy\` lets see it.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme "Closed on Monday" --background "#1E6E4F"',
    '<%= config.bin %> <%= command.id %> acme --file menu.jpg --caption "Our new menu"',
    '<%= config.bin %> <%= command.id %> acme --file https://example.com/menu.jpg',
    '<%= config.bin %> <%= command.id %> acme "Only for you" --to +15550000002 --to +15550000003',
  ];
  static override args = {
    clientId: clientIdArg(),
    text: Args.string({ description: 'text of the status, unless --file is given' }),
  };
  static override flags = {
    file: Flags.string({
      description: 'path of a picture or a video, or an http(s) URL that the daemon downloads',
      helpValue: 'SOURCE',
    }),
    caption: Flags.string({ description: 'caption of the file', helpValue: 'TEXT', dependsOn: ['file'] }),
    background: Flags.string({
      description: 'color behind the text, such as #1E6E4F',
      helpValue: 'COLOR',
      exclusive: ['file'],
    }),
    font: Flags.integer({
      description: 'number of the font of the text, 0 to 10',
      min: 0,
      max: 10,
      exclusive: ['file'],
    }),
    to: Flags.string({
      description: 'only this contact, of those who may see it; repeatable',
      helpValue: 'PERSON',
      multiple: true,
      multipleNonGreedy: true,
    }),
    meta: Flags.string({
      description: 'JSON object to return in the status.post event',
      helpValue: MESSAGE_FLAGS.metaData.value,
    }),
    'idempotency-key': Flags.string({
      description: 'post only once per key within 24 hours',
      helpValue: 'KEY',
    }),
  };

  async run(): Promise<StatusAnswer> {
    const { args, flags } = await this.parse(StatusesPost);
    const { postStatus } = await import('../../src/terminal/cli/statuses.js');
    const client = await this.daemon(flags);
    const { text, clientId } = args;
    const { file, caption, background: backgroundColor, font, to: audience, meta } = flags;
    const post = { clientId, text, file, caption, backgroundColor, font, audience, meta };
    const answer = await postStatus(client, post, flags['idempotency-key']);
    if (!this.jsonEnabled())
      this.output.line(`sent ${answer.messageId} to ${counted(answer.people, 'contact')}`);
    return answer;
  }
}
