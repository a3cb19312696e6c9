import { readFile } from 'node:fs/promises';
import type { PasskeyAnswer, WebAuthnAssertion } from '../../client/generated/operations.generated.js';
import { isObject, readJson } from '../../domain/json.js';
import { passkeySnippet } from '../../domain/passkey.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';

/** A step of the passkey ceremony. */
export interface PasskeyItem extends Omit<PasskeyAnswer, 'clientId' | 'step'> {
  type: 'passkey';
  step: Exclude<PasskeyAnswer['step'], 'none'>;
  /** One-time address with instructions for the owner, while an assertion is needed. */
  url?: string;
  /** Script for the console of web.whatsapp.com, while an assertion is needed. */
  snippet?: string;
  /** The file that the command waits for, if one was named. */
  file?: string;
  /** Confirms that the phone shows the same code, while the step is `confirm_code`; JSON leaves it out. */
  confirm?(): Promise<void>;
}

/** Follows the passkey ceremony of one pairing. */
export class PasskeyFollower {
  readonly #client: DaemonClient;
  readonly #clientId: string;
  readonly #file: string | undefined;
  /** The last shown step, with its challenge or code. */
  #shown = '';
  /** Challenges that were answered, so that none is answered twice. */
  readonly #answered = new Set<string>();
  /** The one-time address of the owner, used for all challenges, because a new address would invalidate it. */
  #address = '';

  /** @param file path of the assertion, which may not exist yet */
  constructor(client: DaemonClient, clientId: string, file?: string) {
    this.#client = client;
    this.#clientId = clientId;
    this.#file = file;
  }

  /**
   * Polls the ceremony, and answers with the file once it exists.
   * @param address the one-time address, if the owner got one
   * @returns `isAsked`, and the step if it is new
   * @throws CliError when the answer is refused
   */
  async look(address = ''): Promise<{ isAsked: boolean; item?: PasskeyItem }> {
    this.#address ||= address;
    const answer = await this.#ask();
    const { clientId: _, step, ...rest } = answer;
    if (step === 'none') return { isAsked: false };
    const challenge = `${step} ${String(rest.options?.challenge ?? '')} ${rest.code ?? ''}`;
    if (step === 'assertion_needed') await this.#answerFromFile(challenge);
    if (challenge === this.#shown) return { isAsked: true };
    this.#shown = challenge;
    const item: PasskeyItem = { type: 'passkey', step, ...rest };
    if (step === 'assertion_needed') Object.assign(item, await this.#help(rest.options));
    if (step === 'confirm_code') item.confirm = () => this.#confirm();
    return { isAsked: true, item };
  }

  /** Asks for the step; an older daemon knows no passkeys. */
  async #ask(): Promise<PasskeyAnswer> {
    const none: PasskeyAnswer = { clientId: this.#clientId, step: 'none', secondsLeft: 0 };
    try {
      return await this.#client.getPasskey({ clientId: this.#clientId });
    } catch (error) {
      if (error instanceof CliError && error.failure === 'not_found') return none;
      throw error;
    }
  }

  async #help(options: object = {}): Promise<Pick<PasskeyItem, 'url' | 'snippet' | 'file'>> {
    if (this.#file !== undefined) return { file: this.#file };
    const snippet = passkeySnippet(options);
    // ignore errors: the script and the file work without the address
    const make = () => this.#client.createPairLink({ clientId: this.#clientId }).catch(() => undefined);
    this.#address ||= (await make())?.url ?? '';
    return this.#address ? { url: this.#address, snippet } : { snippet };
  }

  async #answerFromFile(challenge: string): Promise<void> {
    if (this.#file === undefined || this.#answered.has(challenge)) return;
    const assertion = await readAssertion(this.#file);
    if (!assertion) return;
    this.#answered.add(challenge);
    await this.#client.answerPasskey({ clientId: this.#clientId, assertion });
  }

  async #confirm(): Promise<void> {
    await this.#client.confirmPasskey({ clientId: this.#clientId });
  }
}

/** Reads an assertion. @returns undefined while the file is missing or empty @throws CliError `usage` when it contains something else */
async function readAssertion(file: string): Promise<WebAuthnAssertion | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new CliError('usage', `${file} cannot be read`, { cause: error });
  }
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    throw new CliError('usage', `${file} is not JSON`, { cause: error });
  }
  if (isAssertion(value)) return value;
  const suggestions = ['save the whole answer that the script shows, from { to }'];
  throw new CliError('usage', `${file} contains no WebAuthn assertion`, { suggestions });
}

/** Checks the shape of an assertion; the daemon checks its values. */
function isAssertion(value: unknown): value is WebAuthnAssertion {
  if (!isObject(value) || !isObject(value.response)) return false;
  const { id, rawId, type, response } = value;
  const texts = [id, rawId, response.clientDataJSON, response.authenticatorData, response.signature];
  return type === 'public-key' && texts.every((text) => typeof text === 'string' && text !== '');
}

/** Instructions for a step. @param showsScript false on a screen without room for the script */
export function passkeyLines(clientId: string, item: PasskeyItem, showsScript = true): string[] {
  const { step, url, file, code } = item;
  if (step === 'sending') return ['The answer was sent. Keep WhatsApp open on the phone.'];
  if (step === 'finishing') return ['The code was confirmed. WhatsApp finishes the link.'];
  if (step === 'confirm_code') return [`Compare this code with the one on the phone: ${code ?? ''}`];
  const asked = "WhatsApp asks for the account's passkey. Only the owner of the number can answer.";
  if (file !== undefined) return [asked, `Waiting for the answer in ${file}.`];
  const ways = [
    ...(url ? ['Give the owner this one-time address, which says what to do (15 minutes):', `  ${url}`] : []),
    ...(showsScript
      ? [
          `${url ? 'Or run' : 'Run'} the script in the console of https://web.whatsapp.com, save its answer in a file, and run:`,
          `  switchboard pair ${clientId} --passkey-file FILE`,
        ]
      : [
          `${url ? 'Or leave' : 'Leave'} this screen and run this, which prints a script for the owner and a new address:`,
          `  switchboard pair ${clientId}`,
        ]),
  ];
  return [asked, ...ways];
}
