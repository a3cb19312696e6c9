import { Args } from '@oclif/core';
import type { StanzaJson } from '../../src/client/sandbox/client.js';
import { parseObject } from '../../src/domain/json.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { numberArg, sandboxUrlFlag } from '../../src/terminal/cli/flags.js';

export default class SandboxStanza extends BaseCommand {
  static override summary = 'Send a single stanza to a linked device';
  static override description =
    'For tests of the protocol. The stanza is a JSON object: tag, attrs, and one of children, text or base64. The stanza is sent \
unchanged, and not stored for devices that are offline.';
  static override examples = [
    `<%= config.bin %> <%= command.id %> +15550000001 1 '{"tag": "ib", "children": [{"tag": "offline"}]}'`,
    '<%= config.bin %> <%= command.id %> +15550000001 1 - < stanza.json',
  ];
  static override args = {
    number: numberArg("phone number of the device's owner"),
    device: Args.integer({ required: true, description: 'id of the device, from 1', min: 1 }),
    stanza: Args.string({ required: true, description: 'JSON object; - reads standard input' }),
  };
  static override flags = { 'sandbox-url': sandboxUrlFlag() };

  async run(): Promise<{ stanza: StanzaJson }> {
    const { args, flags } = await this.parse(SandboxStanza);
    const { askSandbox } = await import('../../src/terminal/cli/sandbox.js');
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const { tag, ...rest } = parseObject(await readArgument(args.stanza)) ?? {};
    if (typeof tag !== 'string')
      throw new CliError('usage', 'the stanza must be a JSON object with a tag', {
        suggestions: [`such as '{"tag": "ib"}'`],
      });
    const stanza = await askSandbox(flags['sandbox-url'], (sandbox) =>
      sandbox.stanzas.send(args.number, args.device, { ...rest, tag }),
    );
    if (!this.jsonEnabled()) this.output.line(`sent <${tag}> to device ${args.device} of ${args.number}`);
    return { stanza };
  }
}
