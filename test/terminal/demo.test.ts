import { expect } from 'chai';
import { CliProcess } from '../support/spawn-cli.js';

interface Step {
  type: string;
  text?: string;
  event?: Record<string, unknown>;
}

describe('switchboard demo', () => {
  it('pairs, sends and receives for real, and cleans up after itself', async () => {
    const { exitCode, stdout, stderr } = await new CliProcess(['demo', '--json']).end();
    expect(exitCode, stderr).to.equal(0);
    const steps: Step[] = stdout
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    const kinds = steps.map(({ type }) => type).filter((type) => type !== 'tail' && type !== 'step');
    expect(kinds).to.deep.equal(['qr', 'connected', 'on-phone', 'webhook']);
    const event = steps.find(({ type }) => type === 'webhook')?.event;
    expect(event).to.include({ event: 'message.received', type: 'text', remotePhone: '+15550000002' });
    expect(steps.some(({ type }) => type === 'tail')).to.equal(true);
  });
});
