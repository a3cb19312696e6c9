import { apiVersion } from '../src/domain/version.js';
import { BaseCommand } from '../src/terminal/cli/command.js';

export default class Version extends BaseCommand {
  static override summary = 'Show the version of this program';
  static override description =
    'Shows the version of the package, the platform and Node; with --json also the version of the HTTP API.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json | jq -r .version',
  ];

  async run(): Promise<{ version: string; apiVersion: string; platform: string; node: string }> {
    await this.parse(Version);
    const { version, userAgent } = this.config;
    if (!this.jsonEnabled()) this.output.line(userAgent);
    const platform = `${process.platform}-${process.arch}`;
    return { version, apiVersion: apiVersion(version), platform, node: process.versions.node };
  }
}
