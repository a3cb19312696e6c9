import { Command, Errors, Flags, type Interfaces } from '@oclif/core';
import { DaemonClient, findToken, tokenPath } from './client.js';
import { chooseDaemon, contextsPath, type DaemonPlace } from './contexts.js';
import { CliError, exitCodeOf } from './errors.js';
import { httpUrl } from './flags.js';
import { isChannelLink, isName, type NameKind, nameKindOf } from './name-inputs.js';
import { errorReport, Output } from './output.js';

/** Base of all commands: `--json`, output and exit codes. */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true;

  /** With `--json`, prints one value per line instead of one indented value. */
  protected readonly streams: boolean = false;
  protected readonly output = new Output();

  /** Prints the error and sets the exit code; oclif itself exits with 1 on every `--json` error. */
  protected override async catch(error: Error): Promise<void> {
    if (error instanceof Errors.ExitError) throw error;
    // stops oclif from warning again about invalid arguments
    this.parsed = true;
    process.exitCode = exitCodeOf(error);
    const flags = { ...this.ctor.baseFlags, ...this.ctor.flags };
    const report = errorReport(error, ['help', 'json', ...Object.keys(flags)]);
    if (this.jsonEnabled()) this.logJson(report);
    else this.output.error(report, process.env.DEBUG && error.stack);
  }

  /** Asks a question that `--yes` answers too. @throws CliError `usage` if nobody can answer, `failure` for a no */
  protected async confirm(question: string): Promise<void> {
    if (this.jsonEnabled())
      throw new CliError('usage', '--json cannot ask for confirmation', { suggestions: ['add --yes'] });
    const { confirm } = await import('./terminal.js');
    await confirm(question);
  }

  override logJson(value: unknown): void {
    this.output.json(value, { indent: !this.streams });
  }
}

const GROUP = 'DAEMON';

/** A command that talks to a daemon. */
export abstract class DaemonCommand extends BaseCommand {
  static override baseFlags = {
    context: Flags.string({
      description: 'named daemon to use; default: the current one of `switchboard context`',
      env: 'SWITCHBOARD_CONTEXT',
      helpValue: 'NAME',
      helpGroup: GROUP,
    }),
    url: httpUrl({
      description: 'URL of the daemon',
      env: 'SWITCHBOARD_URL',
      helpValue: 'URL',
      default: 'http://127.0.0.1:3000',
      helpGroup: GROUP,
    }),
    token: Flags.string({
      description: 'API token; default: the token in the data directory, for a local daemon',
      env: 'SWITCHBOARD_TOKEN',
      helpValue: 'TOKEN',
      helpGroup: GROUP,
    }),
    'data-dir': Flags.directory({
      description: 'data directory of the daemon, which holds its token',
      env: 'SWITCHBOARD_DATA_DIR',
      helpValue: 'DIR',
      helpGroup: GROUP,
    }),
  };

  /** Parses, chooses the daemon, and replaces the names of chats, groups and people, and links of channels, by their addresses. */
  protected override async parse<
    F extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    B extends Interfaces.OutputFlags<Interfaces.FlagInput>,
    A extends Interfaces.OutputArgs<Interfaces.ArgInput>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    const parsed = await super.parse<F, B, A>(options, argv);
    const flags: Record<string, unknown> = parsed.flags;
    Object.assign(flags, await this.#chooseDaemon(flags, parsed));
    await this.#findChannel(parsed.args, flags);
    const inputs = namedInputs(parsed);
    if (inputs.length === 0) return parsed;
    const { isOfPerson, NameFinder } = await import('./names.js');
    const { confirm } = await import('./terminal.js');
    const finder = new NameFinder(await this.daemon(daemonFlags(parsed.flags)), String(parsed.args.clientId));
    for (const { given, kind, replace } of inputs) {
      const chat = await finder.find(given, kind);
      const { name, jid } = chat;
      if (isOfPerson(chat))
        await confirm(
          `${name} is ${jid}, but anybody can choose this name. Continue?`,
          `give the address: ${jid}`,
        );
      else this.output.note(`${name} is ${jid}`);
      replace(jid);
    }
    return parsed;
  }

  /** Replaces the link of a channel by its jid, which the daemon asks of the network. */
  async #findChannel(args: Record<string, unknown>, flags: Readonly<Record<string, unknown>>): Promise<void> {
    const { clientId, channelJid: link } = args;
    if (typeof clientId !== 'string' || typeof link !== 'string' || !isChannelLink(link)) return;
    const client = await this.daemon(daemonFlags(flags));
    const { channel } = await client.getChannel({ clientId, channel: link });
    args.channelJid = channel.jid;
  }

  /** @param parsed tells what was typed and what comes from the environment */
  async #chooseDaemon(
    flags: Readonly<Record<string, unknown>>,
    { raw, metadata }: Pick<Interfaces.ParserOutput, 'raw' | 'metadata'>,
  ): Promise<DaemonPlace> {
    const from = (name: string) => {
      if (raw.some((token) => token.type === 'flag' && token.flag === name)) return 'flag';
      return flags[name] === undefined || metadata.flags[name]?.setFromDefault ? 'default' : 'environment';
    };
    const { url, token } = daemonFlags(flags);
    const context = typeof flags.context === 'string' && flags.context !== '' ? flags.context : undefined;
    const given = { url, urlFrom: from('url'), token, tokenFrom: from('token'), context } as const;
    return chooseDaemon(contextsPath(this.config.configDir), given);
  }

  /** The name of the daemon on screens and in notes: its context, if it has one. */
  protected placeOf({ context, url }: DaemonFlags): string {
    return context === undefined ? url : `${context} (${url})`;
  }

  protected async daemon(flags: DaemonFlags, signal?: AbortSignal): Promise<DaemonClient> {
    const dataDir = this.dataDir(flags);
    const found = flags.token ? undefined : await findToken(flags.url, dataDir);
    return new DaemonClient({
      ...{ url: flags.url, token: flags.token || found, signal },
      ...{ tokenPath: tokenPath(dataDir), isTokenFound: found !== undefined },
    });
  }

  protected dataDir(flags: DaemonFlags): string {
    return flags['data-dir'] ?? this.config.dataDir;
  }
}

export interface DaemonFlags {
  url: string;
  /** Context of the daemon, if it was chosen by name. */
  context?: string;
  token?: string;
  'data-dir'?: string;
}

/** The daemon's flags among those of a command. */
export function daemonFlags(flags: Readonly<Record<string, unknown>>): DaemonFlags {
  const textOf = (name: string) => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const [url = '', token, dataDir] = [textOf('url'), textOf('token'), textOf('data-dir')];
  return {
    url,
    token,
    'data-dir': dataDir,
  };
}

/** A name in place of an address. */
interface NamedInput {
  given: string;
  kind: NameKind;
  replace(jid: string): void;
}

/** The names among arguments and flags; none for a command that is not about one session. */
function namedInputs({
  args,
  flags,
  argv,
}: {
  args: Record<string, unknown>;
  flags: Record<string, unknown>;
  argv: unknown[];
}): NamedInput[] {
  if (typeof args.clientId !== 'string') return [];
  const inputs: NamedInput[] = [];
  const look = (input: string, given: unknown, replace: (jid: string) => void) => {
    const kind = nameKindOf(input);
    if (kind && typeof given === 'string' && isName(given)) inputs.push({ given, kind, replace });
  };
  const names = Object.keys(args);
  for (const [at, given] of argv.entries()) {
    // the last argument may be repeated
    const name = names[Math.min(at, names.length - 1)] ?? '';
    look(name, given, (jid) => {
      argv[at] = jid;
      if (args[name] === given) args[name] = jid;
    });
  }
  for (const [name, values] of Object.entries(flags)) {
    if (!Array.isArray(values)) continue;
    for (const [at, given] of values.entries()) look(name, given, (jid) => values.splice(at, 1, jid));
  }
  return inputs;
}
