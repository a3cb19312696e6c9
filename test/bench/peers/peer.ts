import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { isObject, parseJson } from '../../../src/domain/json.js';
import { ProcessTree } from './processes.js';

/** Where a gateway runs, and what it has to know. */
export interface PeerPlace {
  /** The folder in which the gateway is installed, as the person who runs the comparison named it. */
  folder: string;
  /** An empty folder for its data. */
  dataDir: string;
  /** A free port on 127.0.0.1 for its API. */
  port: number;
  /** Where it posts its events. */
  webhookUrl: string;
  /**
   * The simulated network: the WebSocket, and the key that signs its certificate, in base64. At `lateStartWsUrl` what the
   * network says first in a connection comes late, for a gateway that cannot log in otherwise.
   */
  network: { wsUrl: string; rootKey: string; lateStartWsUrl: string };
}

/** Waits for a webhook call that holds something, from the beginning of the run. */
export type FromCalls = <T>(pick: (call: unknown) => T | undefined) => Promise<T>;

/** A gateway under comparison. `docs/performance.md` says how to add one. */
export interface Peer {
  /** Its name and version, for the table. */
  readonly title: string;
  /** The addresses of the databases that it uses, on this machine; their CPU is counted. */
  databases?(): string[];
  /** Runs the gateway until it answers. */
  start(): Promise<GatewayProcess>;
  /** Begins a session for a number, with its events going to the webhook. @returns the text of the pairing QR */
  pair(number: string, fromCalls: FromCalls): Promise<string>;
  /** Resolves when the session is connected. */
  connected(number: string, fromCalls: FromCalls): Promise<void>;
  /** Ends the session, until the gateway keeps nothing of it: its databases outlive the comparison. */
  unpair?(number: string): Promise<void>;
  /** Sends one text, until the gateway says that it is sent. Rejects if it says otherwise. */
  send(from: string, to: string, text: string): Promise<void>;
  /** The texts of the messages that a webhook call announces. */
  textsIn(call: unknown): string[];
}

/** What the module of an adapter exports as `peer`. */
export type MakePeer = (place: PeerPlace) => Promise<Peer>;

/** Milliseconds until a gateway must answer, connect, or end. */
const PATIENCE_MS = 60_000;
const END_MS = 10_000;
const LOOK_MS = 20;

/** A gateway's process with those that it starts itself. */
export class GatewayProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Runs a command in a folder, and waits until `answers` holds. */
  static async start(
    command: readonly [string, ...string[]],
    options: { cwd: string; env: Record<string, string> },
    answers: () => Promise<boolean>,
  ): Promise<GatewayProcess> {
    const [program, ...argv] = command;
    const child = spawn(program, argv, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const started = new GatewayProcess(child);
    const failed = once(child, 'error').then(([error]) => Promise.reject(error));
    const ended = once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`${program} ended (${code})`)),
    );
    ended.catch(() => undefined);
    try {
      await Promise.race([failed, ended, until(`${program} to answer`, answers)]);
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  /** Milliseconds of CPU since the start. */
  cpuMs(): Promise<number> {
    return new ProcessTree(this.#child.pid ?? 0).cpuMs();
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || !this.#child.pid) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  }
}

/** Waits until something holds. @throws Error that names it, after a minute */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > endsAt) throw new Error(`waited in vain for ${what}`);
    await wait(LOOK_MS);
  }
}

/** Asks a gateway. @returns the parsed body @throws Error for every status but 2xx */
export async function ask(
  url: string,
  { method, headers, body }: { method?: string; headers: Record<string, string>; body?: object },
): Promise<unknown> {
  const request = body
    ? {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }
    : { method: method ?? 'GET', headers };
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} was answered ${answer.status}: ${text}`);
  return parseJson(text);
}

/** Whether a gateway answers at all. */
export async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status < 500;
    },
    () => false,
  );
}

/** A setting that the person who runs the comparison must give. @throws Error that names it */
export function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}`);
  return value;
}

/** A value deep in what a gateway said, if it is there. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (Array.isArray(found)) found = found[Number(key)];
    else found = isObject(found) ? found[key] : undefined;
  }
  return found;
}

/** The texts of messages in the form of Baileys: own ones too. */
export function baileysTexts(messages: unknown): string[] {
  const list = Array.isArray(messages) ? messages : [messages];
  return list.flatMap((message) => {
    const text =
      at(message, 'message', 'conversation') ?? at(message, 'message', 'extendedTextMessage', 'text');
    return typeof text === 'string' ? [text] : [];
  });
}
