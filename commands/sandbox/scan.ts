import { Args, Flags } from '@oclif/core';
import { CliError } from '../../src/cli/cli-error.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { numberArg, sandboxUrlFlag } from '../../src/cli/flags.js';
import type { DeviceView } from '../../src/sandbox/api.js';

export default class SandboxScan extends DaemonCommand {
  static override summary = 'Let a simulated phone link a device: scan a QR, or type a code';
  static override description =
    'The phone then holds the session among its linked devices, as a real one would.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000001 --session acme',
    '<%= config.bin %> <%= command.id %> +15550000001 --code ABCD-EFGH',
    '<%= config.bin %> <%= command.id %> +15550000001 -',
  ];
  static override args = {
    number: numberArg("the phone's number"),
    qr: Args.string({ description: 'the text inside the QR; - reads standard input' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    session: Flags.string({ description: 'scan the QR that this session of the daemon shows' }),
    code: Flags.string({ description: 'type this pairing code instead' }),
  };

  async run(): Promise<{ device: DeviceView }> {
    const { args, flags } = await this.parse(SandboxScan);
    if ([args.qr, flags.session, flags.code].filter((way) => way !== undefined).length !== 1) {
      throw new CliError('usage', 'name one of: a QR, --session, --code');
    }
    const { askSandbox, currentQr } = await import('../../src/cli/sandbox.js');
    const { readArgument } = await import('../../src/cli/stdin.js');
    const qrText = async () =>
      flags.session ? currentQr(await this.daemon(flags), flags.session) : readArgument(args.qr ?? '');
    const device = await askSandbox(flags['sandbox-url'], async (sandbox) =>
      flags.code ? sandbox.enterCode(args.number, flags.code) : sandbox.scan(args.number, await qrText()),
    );
    if (!this.jsonEnabled()) this.output.line(`linked ${device.platform} as device ${device.id}`);
    return { device };
  }
}
