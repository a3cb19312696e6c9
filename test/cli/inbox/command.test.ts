import { expect } from 'chai';
import { runCli } from '../../support/spawn-cli.js';

describe('switchboard inbox without a terminal', () => {
  it('refuses, and names what reads and writes in a pipe', async () => {
    const { exitCode, stdout, stderr } = await runCli(['inbox']);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr).to.contain('needs a terminal');
    for (const instead of ['rooms list', 'messages list', 'tail']) expect(stderr).to.contain(instead);
  });

  it('knows no --json', async () => {
    const { exitCode, stdout } = await runCli(['inbox', '--json']);
    const report = JSON.parse(stdout);
    expect(report).to.deep.include({ code: 'usage', exitCode });
    expect(report.error).to.contain('--json');
  });
});
