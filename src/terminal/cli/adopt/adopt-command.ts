import { Flags } from '@oclif/core';
import type { DaemonClient } from '../client.js';
import { DaemonCommand } from '../command.js';
import { CliError, EXIT_CODES } from '../errors.js';
import { httpUrl } from '../flags.js';
import { confirm, listenForInterrupt } from '../terminal.js';
import type { Adopted, AdoptSettings } from './adopt.js';
import { deviceOf, type LinkedNumber, missingIn, numberOf, ownJid } from './linked-number.js';

/** A number in the output of `--dry-run`. */
interface Survey {
  clientId: string;
  number: string;
  place: string;
  /** Number of keys by family. */
  keys: Readonly<Record<string, number>>;
  missing: string[];
  unreadable: readonly string[];
  /** URL of the webhook; empty if there is none. */
  webhookUrl: string;
  /** A sign that the other program runs; empty if there is none. */
  inUse: string;
  /** Why the number cannot be taken over; empty if it can. */
  problem: string;
}

interface GivenBack {
  clientId: string;
  outcome: 'given_back';
}

export interface AdoptAnswer {
  numbers: (Survey | Adopted | GivenBack)[];
}

interface AdoptFlags {
  'dry-run': boolean;
  undo: boolean;
  only?: string[];
  force: boolean;
  yes: boolean;
  org?: string;
  webhook?: string;
  'webhook-token'?: string;
  'no-webhook': boolean;
  watch: number;
  url: string;
}

const OUTCOMES: Readonly<Record<Adopted['outcome'], string>> = {
  connected: 'connected',
  here: 'is here already',
  not_connected: 'is not connected',
  failed: 'was not taken over',
  conflict: 'was replaced',
};

/** A command that takes numbers over from the store of another program. */
export abstract class AdoptCommand extends DaemonCommand {
  static override baseFlags = {
    ...DaemonCommand.baseFlags,
    'dry-run': Flags.boolean({
      description: 'list each number with the keys found and missing; change nothing',
      exclusive: ['undo'],
    }),
    undo: Flags.boolean({
      description:
        'give the numbers back: delete their sessions here, with their history, but leave the devices linked',
    }),
    only: Flags.string({
      description: 'take only the number with this clientId; repeatable',
      helpValue: 'CLIENTID',
      multiple: true,
      multipleNonGreedy: true,
    }),
    force: Flags.boolean({
      description:
        'continue even if the other program seems to run, keys are missing, or events were not delivered',
    }),
    yes: Flags.boolean({ char: 'y', description: 'skip the confirmation of --undo' }),
    org: Flags.string({ description: 'workspace to keep the history in, from the first message' }),
    webhook: httpUrl({ description: 'URL that receives the events of each session' }),
    'webhook-token': Flags.string({
      description: 'bearer token and signing key of the webhook calls',
      env: 'SWITCHBOARD_WEBHOOK_TOKEN',
    }),
    'no-webhook': Flags.boolean({
      description: 'take over numbers without a webhook: nobody gets the messages that wait at WhatsApp',
      exclusive: ['webhook'],
    }),
    watch: Flags.integer({
      description: 'seconds to watch, after the last number, whether another program still uses one',
      default: 10,
      min: 0,
    }),
  };

  protected async perform(found: readonly LinkedNumber[], flags: AdoptFlags): Promise<AdoptAnswer> {
    const numbers = chosen(found, flags.only);
    if (flags['dry-run']) return this.#survey(numbers, flags.webhook);
    const interrupt = listenForInterrupt();
    const client = await this.daemon(flags, interrupt.signal);
    try {
      if (flags.undo) return { numbers: await this.#giveBack(client, numbers, flags) };
      return { numbers: await this.#adopt(client, this.#linked(numbers), flags) };
    } finally {
      interrupt.release();
    }
  }

  /** Leaves out numbers that nobody has linked. @throws CliError `usage` when none is left */
  #linked(numbers: readonly LinkedNumber[]): LinkedNumber[] {
    const linked = numbers.filter(({ credentials }) => deviceOf(credentials) !== '');
    if (linked.length === 0) throw new CliError('usage', 'no number there has finished its pairing');
    for (const { place, credentials } of numbers) {
      if (deviceOf(credentials) === '') this.output.note(`${place}: ${UNFINISHED}; it is left out`);
    }
    return linked;
  }

  async #adopt(
    client: DaemonClient,
    numbers: readonly LinkedNumber[],
    flags: AdoptFlags,
  ): Promise<Adopted[]> {
    requireUsable(numbers, flags);
    const settings: AdoptSettings = {
      webhookUrl: flags.webhook,
      webhookToken: flags['webhook-token'],
      orgId: flags.org,
    };
    const { adoptNumbers } = await import('./adopt.js');
    const done: Adopted[] = [];
    for await (const adopted of adoptNumbers(client, numbers, settings, flags.watch * 1000)) {
      done.push(adopted);
      if (!this.jsonEnabled()) this.#showOne(adopted, `${done.length} of ${numbers.length}`);
    }
    const isWrong = done.some(({ outcome }) => outcome === 'failed' || outcome === 'not_connected');
    if (isWrong) process.exitCode = EXIT_CODES.failure;
    const conflict = done.find(({ outcome }) => outcome === 'conflict');
    if (conflict) this.#showConflict(conflict);
    return done;
  }

  #showConflict({ clientId, reason }: Adopted): void {
    process.exitCode = EXIT_CODES.conflict;
    this.output.note(`${clientId}: ${reason}; no further number was taken over`);
    this.output.note('stop the other program, run this command with --undo, then again without it');
  }

  async #survey(numbers: readonly LinkedNumber[], webhook: string | undefined): Promise<AdoptAnswer> {
    const surveys = numbers.map((number): Survey => {
      const { clientId, place, credentials, counts: keys, unreadable, inUse } = number;
      const webhookUrl = webhook ?? number.webhookUrl ?? '';
      const about = { clientId, number: numberOf(credentials), place, keys, webhookUrl, inUse, unreadable };
      return { ...about, missing: missingIn(number), problem: problemOf(number, numbers) };
    });
    if (surveys.some(({ problem }) => problem)) process.exitCode = EXIT_CODES.failure;
    if (this.jsonEnabled()) return { numbers: surveys };
    for (const survey of surveys) this.#showSurvey(survey);
    return { numbers: surveys };
  }

  #showSurvey({
    clientId,
    number,
    place,
    keys,
    missing,
    unreadable,
    webhookUrl,
    inUse,
    problem,
  }: Survey): void {
    const { session = 0, 'sender-key': groups = 0, 'lid-mapping': lids = 0 } = keys;
    this.output.line(`${clientId || '(no name)'}  ${number ? `+${number}` : 'no number'}  ${place}`);
    this.output.line(`  Signal sessions: ${session}, group keys: ${groups}, LID mappings: ${lids}`);
    for (const what of missing) this.output.line(`  ${what}`);
    if (unreadable.length > 0) this.output.line(`  cannot be read: ${unreadable.join(', ')}`);
    this.output.line(`  webhook: ${webhookUrl || 'none'}`);
    if (inUse) this.output.line(`  in use: ${inUse}`);
    this.output.line(problem ? `  cannot be taken over: ${problem}` : '  can be taken over');
  }

  async #giveBack(
    client: DaemonClient,
    numbers: readonly LinkedNumber[],
    { force, yes }: AdoptFlags,
  ): Promise<GivenBack[]> {
    const { clients } = await client.listClients();
    const here = numbers.filter(({ clientId, credentials }) => {
      const jid = ownJid(credentials);
      return jid !== '' && clients.some((session) => session.clientId === clientId && session.jid === jid);
    });
    if (here.length === 0) throw new CliError('not_found', 'none of these numbers is here');
    const names = here.map(({ clientId }) => clientId).join(', ');
    if (!force) await requireDelivered(client, here);
    if (!yes) await confirm(`Delete ${names} here, with history and settings?`);
    const given: GivenBack[] = [];
    for (const { clientId, credentials } of here) {
      await client.giveBack({ clientId, jid: deviceOf(credentials) });
      given.push({ clientId, outcome: 'given_back' });
      if (!this.jsonEnabled()) this.output.line(`${clientId} is given back; its device stays linked`);
    }
    return given;
  }

  #showOne({ clientId, jid, outcome, reason, leftOut }: Adopted, progress: string): void {
    const number = jid.split('@', 1)[0];
    const because = reason ? `: ${reason}` : '';
    this.output.line(`${progress}  ${clientId}  +${number} ${OUTCOMES[outcome]}${because}`);
    if (leftOut.length > 0) this.output.note(`${clientId}: left out ${leftOut.join(', ')}`);
  }
}

const UNFINISHED = 'its pairing was not finished';

/** The numbers that the caller wants. @throws CliError `not_found` */
function chosen(numbers: readonly LinkedNumber[], only: readonly string[] = []): readonly LinkedNumber[] {
  const missing = only.find((name) => !numbers.some(({ clientId }) => clientId === name));
  if (missing !== undefined) throw new CliError('not_found', `there is no number that becomes ${missing}`);
  return only.length === 0 ? numbers : numbers.filter(({ clientId }) => only.includes(clientId));
}

/** Checks all numbers before the first one is taken over. @throws CliError */
function requireUsable(numbers: readonly LinkedNumber[], flags: AdoptFlags): void {
  for (const number of numbers) {
    const { place, inUse, counts, webhookUrl = flags.webhook } = number;
    const problem = problemOf(number, numbers);
    const refuse = (failure: 'usage' | 'conflict', reason: string, ...suggestions: string[]) => {
      throw new CliError(failure, `${place}: ${reason}`, { suggestions });
    };
    if (problem) refuse('usage', problem, 'see all numbers with --dry-run', 'choose some with --only');
    if (!webhookUrl && !flags['no-webhook']) {
      refuse('usage', 'it has no webhook', 'name one with --webhook', 'or add --no-webhook');
    }
    if (flags.force) continue;
    if (inUse) {
      refuse(
        'conflict',
        `${inUse}, so another program uses it`,
        'stop the other program first',
        'or add --force',
      );
    }
    if (!counts.session && !counts['pre-key']) {
      refuse(
        'usage',
        'its Signal keys were not found',
        'name the place of the keys: see --help',
        'or add --force',
      );
    }
  }
}

/** Why a number cannot be taken over; empty if it can. */
function problemOf({ clientId, credentials, place }: LinkedNumber, all: readonly LinkedNumber[]): string {
  if (Object.keys(credentials).length === 0) return 'its credentials cannot be read';
  const device = deviceOf(credentials);
  if (!device) return UNFINISHED;
  if (!clientId) return 'its name has no letters or digits';
  const others = all.filter((other) => other.place !== place);
  const namesake = others.find((other) => other.clientId === clientId);
  if (namesake) return `it would be the session ${clientId}, as ${namesake.place} would`;
  const twin = others.find((other) => deviceOf(other.credentials) === device);
  return twin ? `${twin.place} has the same link` : '';
}

/** Counts to ignore for a connected session, which always has work in flight. */
const IN_FLIGHT = { unannounced: 0, unacknowledgedSends: 0 };

/** Refuses to delete a session with undelivered events or unsent messages, which would be deleted too. @throws CliError `conflict` */
export async function requireDelivered(
  client: DaemonClient,
  numbers: readonly { clientId: string }[],
): Promise<void> {
  for (const { clientId } of numbers) {
    const lost = (what: string, command: string) =>
      new CliError('conflict', what, { suggestions: [command, 'or add --force'] });
    const open = await client.getUnfinished({ clientId });
    if (open.failedDeliveries > 0)
      throw lost(
        `events of ${clientId} were not delivered, and would be deleted`,
        `switchboard failed resend --all --session ${clientId}`,
      );
    if (open.heldSends > 0)
      throw lost(
        `messages of ${clientId} wait to be sent, and would be deleted`,
        `switchboard outbox list ${clientId}`,
      );
    // a connected session always has some events in flight
    const [row] = (await client.getFleet({ clientId })).sessions;
    const { unannounced, unacknowledgedSends } = row?.connected ? IN_FLIGHT : open;
    if (unacknowledgedSends > 0)
      throw lost(
        `${clientId} has messages whose delivery is unknown; their records would be deleted`,
        'look at the chats on the phone, and send again what is missing',
      );
    if (unannounced > 0)
      throw lost(
        `messages of ${clientId} are still to be announced, and would be deleted`,
        'try again in a moment',
      );
    if (open.waitingDeliveries > 0)
      throw lost(
        `events of ${clientId} wait for their receiver, and would be deleted`,
        `switchboard sessions show ${clientId}`,
      );
  }
}
