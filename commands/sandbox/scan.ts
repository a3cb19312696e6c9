import { Args, Flags } from '@oclif/core';
import type { DeviceView } from '../../src/client/sandbox/client.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { numberArg, sandboxUrlFlag } from '../../src/terminal/cli/flags.js';

export default class SandboxScan extends DaemonCommand {
  static override summary = 'Link a session to a simulated phone by QR code or pairing code';
  static override description = 'The session becomes a linked device of the phone.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000001 --session acme',
    '<%= config.bin %> <%= command.id %> +15550000001 --code ABCD-EFGH',
    '<%= config.bin %> <%= command.id %> +15550000001 -',
  ];
  static override args = {
    number: numberArg('number of the phone'),
    qr: Args.string({ description: 'text of the QR code; - reads standard input' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    session: Flags.string({ description: 'scan the QR code that this session shows' }),
    code: Flags.string({ description: 'enter this pairing code instead' }),
  };

  async run(): Promise<{ device: DeviceView }> {
    const { args, flags } = await this.parse(SandboxScan);
    if ([args.qr, flags.session, flags.code].filter((source) => source !== undefined).length !== 1) {
      throw new CliError('usage', 'give exactly one of: a QR text, --session, --code');
    }
    const { askSandbox, currentQr } = await import('../../src/terminal/cli/sandbox.js');
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const qrText = async () =>
      flags.session ? currentQr(await this.daemon(flags), flags.session) : readArgument(args.qr ?? '');
    const device = await askSandbox(flags['sandbox-url'], async (sandbox) =>
      flags.code ? sandbox.enterCode(args.number, flags.code) : sandbox.scan(args.number, await qrText()),
    );
    if (!this.jsonEnabled()) this.output.line(`linked ${device.platform} as device ${device.id}`);
    return { device };
  }
}
