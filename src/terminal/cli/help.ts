import { type Command, CommandHelp, Help, type Interfaces } from '@oclif/core';
import { reportUnknownCommand } from './unknown-command.js';

type HelpFlag = Command.Flag.Cached;

/** Groups of flags, in this order; those without a group come first. */
const LAST_GROUPS = ['MESSAGE', 'SANDBOX', 'DAEMON', 'GLOBAL'];
/** Longest list of values that is shown instead of the value's name. */
const OPTIONS_LENGTH = 40;

/** Help of a single command: title, examples, usage, arguments, flags, then details. */
class OneCommandHelp extends CommandHelp {
  protected override sections() {
    const order = ['EXAMPLES', 'USAGE', 'ARGUMENTS', 'FLAGS', 'DESCRIPTION'];
    const rank = ({ header }: { header: string }) => (order.indexOf(header) + order.length) % order.length;
    return super
      .sections()
      .filter(({ header }) => order.includes(header))
      .sort((a, b) => rank(a) - rank(b));
  }

  protected override usage(): string {
    const { id, usage, args, flags, strict } = this.command;
    const given = [usage ?? []].flat();
    const shown = Object.values(args).filter(({ hidden }) => !hidden);
    const words = [
      ...shown.map((arg, at) => {
        const isList = strict === false && at === shown.length - 1;
        return (arg.required ? argName(arg) : `[${argName(arg)}]`) + (isList ? '…' : '');
      }),
      ...Object.values(flags)
        .filter(({ required, hidden }) => required && !hidden)
        .map((flag) => `--${flag.name}=${valueName(flag)}`),
      '[FLAGS]',
    ];
    const lines = given.length > 0 ? given.map((line) => this.render(line)) : [`${id} ${words.join(' ')}`];
    return lines.map((line) => this.wrap(`$ ${this.config.bin} ${line}`)).join('\n');
  }

  protected override examples(examples: Command.Example[] | string | undefined): string | undefined {
    const all = [examples ?? []].flat();
    const lines = all.map(
      (example) => `$ ${this.render(typeof example === 'string' ? example : example.command)}`,
    );
    return lines.length > 0 ? lines.join('\n') : undefined;
  }

  /** The description without the title, which is shown above. */
  protected override description(): string | undefined {
    const { description } = this.command;
    return description && this.wrap(this.render(description));
  }

  protected override args(args: Command.Arg.Any[]): [string, string | undefined][] | undefined {
    if (args.length === 0) return undefined;
    return args.map((arg) => {
      const listed = arg.options?.join(' or ') ?? '';
      // a long list of values is in the description
      const values = listed !== '' && listed.length <= OPTIONS_LENGTH ? ` (${listed})` : '';
      return [arg.required ? argName(arg) : `[${argName(arg)}]`, `${arg.description ?? ''}${values}`];
    });
  }

  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    if (flags.length === 0) return undefined;
    const hasLetters = flags.some(({ char }) => char !== undefined);
    return flags.map((flag) => {
      const letter = flag.char ? `-${flag.char}, ` : hasLetters ? '    ' : '';
      const no = flag.type === 'boolean' && flag.allowNo ? '[no-]' : '';
      const value = flag.type === 'option' ? `=${valueName(flag)}` : '';
      return [`${letter}--${no}${flag.name}${value}`, flagText(flag)];
    });
  }

  protected override groupFlags(flags: Command.Flag.Any[]) {
    const { mainFlags, flagGroups } = super.groupFlags(flags);
    const rank = (name: string) => LAST_GROUPS.indexOf(name);
    const sorted = Object.entries(flagGroups).sort(([a], [b]) => rank(a) - rank(b));
    return { mainFlags, flagGroups: Object.fromEntries(sorted) };
  }
}

function argName({ name }: { name: string }): string {
  return name.toUpperCase();
}

function valueName(flag: HelpFlag | Command.Flag.Any): string {
  if (flag.type !== 'option') return '';
  const { helpValue, options } = flag;
  if (helpValue !== undefined) return String(helpValue);
  const listed = options?.join('|') ?? '';
  if (listed !== '' && listed.length <= OPTIONS_LENGTH) return listed;
  return (
    flag.name
      .replace(/^.*-/, '')
      .toUpperCase()
      .replace(/^(?=[^A-Z])/, 'V') || 'VALUE'
  );
}

function flagText(flag: Command.Flag.Any): string {
  if (flag.name === 'json' && flag.helpGroup === 'GLOBAL') return 'print JSON';
  const text = flag.summary ?? flag.description ?? '';
  const values = flag.type === 'option' ? (flag.options ?? []) : [];
  const isListed = values.length > 0 && values.join('|').length > OPTIONS_LENGTH;
  const facts = [
    isListed && `values: ${values.join(', ')}`,
    flag.required && 'required',
    defaultText(flag),
    flag.env && `env: ${flag.env}`,
  ].filter(Boolean);
  return facts.length > 0 ? `${text} [${facts.join('; ')}]` : text;
}

function defaultText(flag: Command.Flag.Any): string {
  if (flag.type !== 'option') return '';
  const value: unknown = flag.default;
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text && `default: ${text}`;
}

/** First steps, below the title of the whole help. */
const FIRST_STEPS = [
  ['switchboard demo', 'try it on a simulated network'],
  ['switchboard start', 'start the daemon'],
  ['switchboard pair acme', 'link a number'],
  ['switchboard send text acme +15550000002 "Hello"', 'send a message'],
  ['switchboard fleet', 'watch all numbers'],
  ['switchboard help send text', 'explain a command'],
];

/** The help of `switchboard`, `switchboard TOPIC` and `switchboard COMMAND`. */
export default class SwitchboardHelp extends Help {
  protected override CommandHelpClass = OneCommandHelp;

  constructor(config: Interfaces.Config, options: Partial<Interfaces.HelpOptions> = {}) {
    super(config, { maxWidth: helpWidth(), ...options });
  }

  /** @param argv the words of a command line, in any order with `--help` */
  override async showHelp(argv: string[]): Promise<void> {
    const typed = argv.filter((word) => !['--help', '-h'].includes(word));
    const flagAt = typed.findIndex((word) => word.startsWith('-'));
    const words = (flagAt < 0 ? typed : typed.slice(0, flagAt)).flatMap((word) => word.split(':'));
    const flags = flagAt < 0 ? [] : typed.slice(flagAt);
    if (words.length > 0 && !this.#isKnown(words))
      return reportUnknownCommand(this.config, [...words, ...flags]);
    // the framework would take `help` for a flag
    const own = words[0] === 'help' ? this.config.findCommand('help') : undefined;
    if (own) await this.showCommandHelp(own);
    else await super.showHelp([...words]);
  }

  #isKnown(words: readonly string[]): boolean {
    const ids = words.map((_, at) => words.slice(0, at + 1).join(':'));
    if (ids.some((id) => this.config.findCommand(id))) return true;
    return this.config.topics.some(({ name }) => name === ids.at(-1));
  }

  override formatRoot(): string {
    const width = Math.max(...FIRST_STEPS.map(([command = '']) => command.length));
    const steps = FIRST_STEPS.map(([command = '', does]) => `$ ${command.padEnd(width)}  ${does}`);
    return [
      this.config.pjson.description,
      this.section('EXAMPLES', steps.join('\n')),
      this.section('USAGE', `$ ${this.config.bin} COMMAND [ARGUMENTS] [FLAGS]`),
    ].join('\n\n');
  }
}

const NARROWEST = 40;
const WIDEST = 100;
const PIPE_WIDTH = 80;

function helpWidth(): number {
  return Math.max(NARROWEST, Math.min(WIDEST, process.stdout.columns ?? PIPE_WIDTH));
}
