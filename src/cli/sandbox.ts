import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { fileTypeFromFile } from 'file-type';
import { type Clock, systemClock, wait } from '../domain/clock.js';
import {
  type MediaContent,
  type MediaKind,
  type PhoneView,
  SandboxClient,
  SandboxRefusal,
  type WriteRequest,
} from '../sandbox/client.js';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import { failureOfStatus } from './exit-code.js';
import { explainConnection } from './transport.js';
import { fileSize } from './upload.js';

/** Milliseconds between two looks for a QR, and until we stop looking. */
const LOOK_MS = 250;
const LOOK_FOR_MS = 15_000;

/**
 * Asks a sandbox network something.
 * @throws CliError for every refusal and for a sandbox that is not there.
 */
export async function askSandbox<Answer>(
  url: string,
  ask: (sandbox: SandboxClient) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask(new SandboxClient(url));
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (error instanceof SandboxRefusal) throw refusal(error);
    throw unreachable(url, error);
  }
}

/** The person with that number: made when there is none yet, renamed when a new name is given. */
export async function ensurePhone(sandbox: SandboxClient, number: string, name?: string): Promise<PhoneView> {
  const known = (await sandbox.phones()).find((phone) => phone.number === number);
  if (!known) await sandbox.addPhone({ number, ...(name !== undefined && { name }) });
  else if (name !== undefined && name !== known.name) return sandbox.update(number, { name });
  return known ?? sandbox.phone(number);
}

/** A file of this machine's that a simulated person sends. */
export interface FileToSend {
  path: string;
  /** Overrides what the file is found to be. */
  mimeType?: string | undefined;
  caption?: string | undefined;
  voice: boolean;
  sticker: boolean;
  document: boolean;
  viewOnce: boolean;
}

/** Sends a file as its type says, unless it is wished otherwise. @throws CliError `usage` when it cannot be read. */
export async function sendFile(
  sandbox: SandboxClient,
  from: string,
  to: Pick<WriteRequest, 'to' | 'quotedMessageId'>,
  wish: FileToSend,
): Promise<{ messageId: string }> {
  await fileSize(wish.path);
  const mimeType = wish.mimeType ?? (await fileTypeFromFile(wish.path))?.mime ?? 'application/octet-stream';
  const kind = kindOf(mimeType, wish);
  const { file } = await sandbox.addFile((await openAsBlob(wish.path)).stream());
  const media: MediaContent = {
    kind,
    mimeType,
    file,
    ...(kind === 'document' && { fileName: basename(wish.path) }),
    ...(wish.caption && { caption: wish.caption }),
    ...(wish.voice && { voice: true }),
    ...(wish.viewOnce && { viewOnce: true }),
  };
  return sandbox.write(from, { ...to, media });
}

function kindOf(mimeType: string, { voice, sticker, document }: FileToSend): MediaKind {
  if (voice) return 'audio';
  if (sticker) return 'sticker';
  const [type] = mimeType.split('/');
  return !document && (type === 'image' || type === 'video' || type === 'audio') ? type : 'document';
}

/**
 * The QR that a session shows now, or in a moment.
 * @throws CliError `conflict` when the session has none to show.
 */
export async function currentQr(
  client: DaemonClient,
  clientId: string,
  clock: Clock = systemClock,
): Promise<string> {
  const startedAt = clock.now();
  for (;;) {
    const { status, qr } = await client.qr(clientId);
    if (qr) return qr;
    const isTooLate = clock.now() - startedAt >= LOOK_FOR_MS;
    if (status !== 'initializing' || isTooLate) {
      throw new CliError('conflict', `${clientId} shows no QR, it is ${status}`, {
        suggestions: status === 'connected' ? [] : [`begin the pairing: switchboard pair ${clientId}`],
      });
    }
    await wait(clock, LOOK_MS);
  }
}

function refusal(error: SandboxRefusal): CliError {
  const suggestions =
    error.status === 404 && /^no phone has/.test(error.message)
      ? ['make a phone: switchboard sandbox phone +15550000001 --name Alice']
      : [];
  return new CliError(failureOfStatus(error.status), error.message, { suggestions, cause: error });
}

/** fetch hides the reason one level down. */
function unreachable(url: string, error: unknown): CliError {
  const reason = error instanceof Error && error.cause ? error.cause : error;
  return new CliError('unreachable', `no sandbox network at ${url}: ${explainConnection(reason)}`, {
    suggestions: [
      'start one: switchboard sandbox start',
      'or a daemon that brings its own: switchboard start --network sandbox',
      'or name another: --sandbox-url or SWITCHBOARD_SANDBOX_URL',
    ],
    cause: error,
  });
}
