import { Flags } from '@oclif/core';
import type { ClockView } from '../../src/client/sandbox/client.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { sandboxUrlFlag } from '../../src/terminal/cli/flags.js';
import { spanText } from '../../src/terminal/cli/text.js';

export default class SandboxClock extends BaseCommand {
  static override summary = 'Show the time of a sandbox network, or move it forward';
  static override description =
    'A daemon with an embedded sandbox uses the same clock, for policies, restrictions, held messages and retries. Time never goes back.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --advance 3d',
    '<%= config.bin %> <%= command.id %> --advance 90s --json | jq .now',
  ];
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    advance: Flags.string({
      description: 'move the time forward by this much: 30s, 5m, 2h, 3d',
      helpValue: 'TIME',
    }),
  };

  async run(): Promise<ClockView> {
    const { flags } = await this.parse(SandboxClock);
    const { askSandbox } = await import('../../src/terminal/cli/sandbox.js');
    const { advance } = flags;
    const view = await askSandbox(flags['sandbox-url'], (sandbox) =>
      advance === undefined ? sandbox.clock() : sandbox.advanceClock(advance),
    );
    if (!this.jsonEnabled()) {
      const ahead = view.ahead > 0 ? `, ${spanText(view.ahead)} ahead of this machine` : '';
      this.output.line(`${new Date(view.now).toISOString()}${ahead}`);
    }
    return view;
  }
}
