import { Flags } from '@oclif/core';
import type { CallView } from '../../src/client/sandbox/client.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { numberArg, sandboxUrlFlag } from '../../src/terminal/cli/flags.js';

export default class SandboxRing extends BaseCommand {
  static override summary = 'Call somebody from a simulated phone';
  static override description =
    'Simulates only the signalling: linked devices of the called person see the call. Without --end the call keeps ringing.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001',
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 --video --end timeout',
  ];
  static override args = {
    from: numberArg('phone number of the caller'),
    to: numberArg('phone number of the called person'),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    video: Flags.boolean({ description: 'make it a video call' }),
    end: Flags.option({ options: ['cancel', 'timeout', 'accept', 'reject'] as const })({
      description:
        'how the call ends: the caller cancels, nobody answers, or the called phone accepts or declines',
    }),
  };

  async run(): Promise<CallView> {
    const { args, flags } = await this.parse(SandboxRing);
    const { askSandbox } = await import('../../src/terminal/cli/sandbox.js');
    const { ringAndEnd } = await import('../../src/terminal/cli/sandbox-ring.js');
    const call = await askSandbox(flags['sandbox-url'], (sandbox) =>
      ringAndEnd(sandbox, { ...args, video: flags.video, end: flags.end }),
    );
    if (!this.jsonEnabled()) this.output.line(`${call.status} ${call.callId}`);
    return call;
  }
}
