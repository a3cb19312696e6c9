import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import { CliError } from '../src/terminal/cli/errors.js';
import { METHODS } from '../src/terminal/cli/raw-call.js';

export default class Api extends DaemonCommand {
  static override summary = 'Call any route of the daemon';
  static override description =
    'Prints the answer as JSON, or as text if the route answers with text. `switchboard api /config` lists all routes; docs/api.md describes them.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> /config',
    '<%= config.bin %> <%= command.id %> /metrics | grep failed',
    '<%= config.bin %> <%= command.id %> GET /qr --field clientId=acme',
    '<%= config.bin %> <%= command.id %> POST /check-state --field clientId=acme',
    '<%= config.bin %> <%= command.id %> POST /set-enable-group-ai --field clientId=acme --json-field enabled=true',
    'jq -n \'{clientId: "acme", to: "+15550000002", body: "Hi"}\' | <%= config.bin %> <%= command.id %> POST /send-message -',
  ];
  static override usage = 'api [GET or POST] PATH [BODY] [FLAGS]';
  static override args = {
    method: Args.string({
      required: true,
      options: [...METHODS],
      description: 'HTTP method; GET if the path comes first',
    }),
    path: Args.string({ required: true, description: 'path of the route, such as /config' }),
    body: Args.string({ description: 'JSON object to send; - reads standard input' }),
  };
  static override flags = {
    field: Flags.string({
      char: 'f',
      description: 'name=text for the query of a GET or the body of a POST; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      default: [],
    }),
    'json-field': Flags.string({
      char: 'j',
      description: 'name=JSON for numbers, booleans and lists; repeatable',
      multiple: true,
      multipleNonGreedy: true,
      default: [],
    }),
  };

  async run(): Promise<object | string> {
    const { args, flags } = await this.parse({ ...INPUT, flags: Api.flags, baseFlags: Api.baseFlags });
    const { method, path, body } = callOf([args.first, args.second, args.third]);
    const { rawCall } = await import('../src/terminal/cli/raw-call.js');
    const { readArgument } = await import('../src/terminal/cli/terminal.js');
    const answer = await rawCall(await this.daemon(flags), {
      method,
      path,
      body: body === undefined ? undefined : await readArgument(body),
      fields: flags.field,
      jsonFields: flags['json-field'],
    });
    if (this.jsonEnabled()) return answer;
    if (typeof answer === 'string') this.output.block(answer.trimEnd());
    else this.output.json(answer, { indent: true });
    return answer;
  }
}

/** Schema of the parsed arguments; the method is optional. */
const INPUT = {
  args: {
    first: Args.string({ required: true, name: 'path', description: 'path of the route, such as /config' }),
    second: Args.string(),
    third: Args.string(),
  },
  enableJsonFlag: true,
} as const;

/** @throws CliError `usage` */
function callOf([first = '', second, third]: readonly (string | undefined)[]) {
  if (first.startsWith('/') && third === undefined) {
    return { method: 'GET' as const, path: first, body: second };
  }
  const method = METHODS.find((known) => known === first.toUpperCase());
  if (method && second !== undefined) return { method, path: second, body: third };
  throw new CliError('usage', method ? 'the path is missing' : `${first} is not GET, POST or a path`, {
    suggestions: [
      'such as: switchboard api /config',
      'or: switchboard api POST /check-state --field clientId=acme',
    ],
  });
}
