import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../src/cli/daemon-command.js';
import { METHODS } from '../src/cli/raw-call.js';

export default class Api extends DaemonCommand {
  static override summary = 'Call any route of the daemon';
  static override description =
    'Prints the answer: JSON, or the text of the few routes that answer otherwise. What a route takes is in docs/api.md; `switchboard api GET /config` lists all of them.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> GET /config',
    '<%= config.bin %> <%= command.id %> GET /metrics | grep failed',
    '<%= config.bin %> <%= command.id %> POST /check-state --field clientId=acme',
    '<%= config.bin %> <%= command.id %> POST /set-enable-group-ai --field clientId=acme --json-field enabled=true',
    'jq -n \'{clientId: "acme", to: "+15550000002", body: "Hi"}\' | <%= config.bin %> <%= command.id %> POST /send-message -',
  ];
  static override args = {
    method: Args.string({ required: true, options: [...METHODS], description: 'GET or POST' }),
    path: Args.string({ required: true, description: 'the route, with its slash' }),
    body: Args.string({ description: 'a JSON object; - reads standard input' }),
  };
  static override flags = {
    field: Flags.string({
      char: 'f',
      description: 'name=text: into the query of a GET, the body of a POST; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      default: [],
    }),
    'json-field': Flags.string({
      char: 'j',
      description: 'name=JSON, for numbers, true and false, lists; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      default: [],
    }),
  };

  async run(): Promise<object | string> {
    const { args, flags } = await this.parse(Api);
    const { rawCall } = await import('../src/cli/raw-call.js');
    const { readArgument } = await import('../src/cli/stdin.js');
    const answer = await rawCall(await this.daemon(flags), {
      method: args.method === 'GET' ? 'GET' : 'POST',
      path: args.path,
      body: args.body === undefined ? undefined : await readArgument(args.body),
      fields: flags.field,
      jsonFields: flags['json-field'],
    });
    if (this.jsonEnabled()) return answer;
    if (typeof answer === 'string') this.output.line(answer.trimEnd());
    else this.output.json(answer, { indent: true });
    return answer;
  }
}
