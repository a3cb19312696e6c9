import { Args, Flags } from '@oclif/core';
import type { PhoneView } from '../../src/client/sandbox/client.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { sandboxUrlFlag } from '../../src/terminal/cli/flags.js';

export default class SandboxPhone extends BaseCommand {
  static override summary = 'Create, rename or list simulated phones';
  static override description =
    'Shows the phone if the number already exists; --name then renames its owner.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000001 --name Alice',
    '<%= config.bin %> <%= command.id %>',
    "<%= config.bin %> <%= command.id %> +15550000001 --json | jq -r '.phones[0].lid'",
  ];
  static override args = {
    number: Args.string({ description: 'phone number with +; omit it to list all phones' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    name: Flags.string({ description: 'name of the owner' }),
  };

  async run(): Promise<{ phones: PhoneView[] }> {
    const { args, flags } = await this.parse(SandboxPhone);
    const { askSandbox, ensurePhone } = await import('../../src/terminal/cli/sandbox.js');
    const phones = await askSandbox(flags['sandbox-url'], async (sandbox) =>
      args.number ? [await ensurePhone(sandbox, args.number, flags.name)] : sandbox.phones(),
    );
    if (!this.jsonEnabled()) await this.show(phones);
    return { phones };
  }

  private async show(phones: PhoneView[]): Promise<void> {
    if (phones.length === 0) {
      this.output.note('no phones yet; create one: switchboard sandbox phone +15550000001 --name Alice');
      return;
    }
    const rows = phones.map(({ number, name, jid, lid, devices }) => [
      number,
      name,
      jid,
      lid,
      devices.map(({ platform, connected }) => `${platform}${connected ? '' : ' (offline)'}`).join(', '),
    ]);
    await this.output.table(['NUMBER', 'NAME', 'JID', 'LID', 'LINKED DEVICES'], rows);
  }
}
