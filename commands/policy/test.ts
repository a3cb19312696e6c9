import { Args } from '@oclif/core';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { EXIT_CODES } from '../../src/terminal/cli/errors.js';

interface ExampleResult {
  name: string;
  policy: string;
  passed: boolean;
  wrong: string[];
}

export default class PolicyTest extends BaseCommand {
  static override summary = 'Check a policy file and run its examples';
  static override description =
    `Needs no daemon. Exits with 1 if an example has another result than it states.`;
  static override examples = ['<%= config.bin %> <%= command.id %> policy.yaml'];
  static override args = { file: Args.string({ name: 'FILE', required: true, description: 'policy file' }) };

  async run(): Promise<{ examples: ExampleResult[] }> {
    const { args } = await this.parse(PolicyTest);
    const { policiesIn } = await import('../../src/local/policy/file.js');
    const { runExample } = await import('../../src/local/policy/examples.js');
    const { examples, policies } = await policiesIn(args.file);
    const results = examples.map((example) => {
      const policy = policies.get(example.policy);
      const wrong = policy ? runExample(policy, example) : [];
      return { name: example.name, policy: example.policy, passed: wrong.length === 0, wrong };
    });
    const failed = results.filter(({ passed }) => !passed).length;
    if (failed > 0) process.exitCode = EXIT_CODES.failure;
    if (!this.jsonEnabled()) this.#show(args.file, results, failed);
    return { examples: results };
  }

  #show(file: string, results: readonly ExampleResult[], failed: number): void {
    const { paint } = this.output;
    for (const { name, passed, wrong } of results) {
      this.output.line(`${passed ? paint('green', '✓') : paint('red', '✗')} ${name}`);
      for (const line of wrong) this.output.line(`  ${line}`);
    }
    if (results.length === 0) this.output.line(`${file} is valid; it has no examples`);
    else this.output.line(`${results.length - failed} of ${results.length} examples passed`);
  }
}
