import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { fileTypeFromFile } from 'file-type';
import {
  type MediaContent,
  type MediaKind,
  type PhoneView,
  SandboxClient,
  SandboxRefusal,
  type WriteRequest,
} from '../../client/sandbox/client.js';
import { type Clock, systemClock, wait } from '../../domain/clock.js';
import type { DaemonClient } from './client.js';
import { CliError, failureOfStatus } from './errors.js';
import { explainConnection } from './http.js';
import { fileSize } from './send-media.js';

/** Milliseconds between two polls for a QR, and timeout. */
const LOOK_MS = 250;
const LOOK_FOR_MS = 15_000;

/**
 * Calls a sandbox network.
 * @throws CliError if it refuses or does not answer
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

/** Creates the phone if needed, and renames its owner if a new name is given. */
export async function ensurePhone(sandbox: SandboxClient, number: string, name?: string): Promise<PhoneView> {
  const known = (await sandbox.phones()).find((phone) => phone.number === number);
  if (!known) await sandbox.addPhone({ number, name });
  else if (name !== undefined && name !== known.name) return sandbox.update(number, { name });
  return known ?? sandbox.phone(number);
}

/** A local file to send. */
export interface FileToSend {
  path: string;
  /** Overrides the detected type. */
  mimeType?: string | undefined;
  caption?: string | undefined;
  voice: boolean;
  sticker: boolean;
  document: boolean;
  viewOnce: boolean;
}

/** Sends a file; its type decides the kind of message, unless overridden. @throws CliError `usage` if unreadable */
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
    fileName: kind === 'document' ? basename(wish.path) : undefined,
    caption: wish.caption || undefined,
    voice: wish.voice,
    viewOnce: wish.viewOnce,
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
 * The current QR code of a session, or the next one. Also waits for the session, which a parallel `pair` may be
 * starting.
 * @throws CliError `conflict` if the session shows none, `not_found` if there is none
 */
export async function currentQr(
  client: DaemonClient,
  clientId: string,
  clock: Clock = systemClock,
): Promise<string> {
  const startedAt = clock.now();
  for (;;) {
    const isTooLate = clock.now() - startedAt >= LOOK_FOR_MS;
    const { status, qr } = await client.getQr({ clientId, format: 'text' }).catch((error: unknown) => {
      if (isTooLate || !(error instanceof CliError) || error.failure !== 'not_found') throw error;
      return { status: 'initializing', qr: '' };
    });
    if (qr) return qr;
    if (status !== 'initializing' || isTooLate) {
      throw new CliError('conflict', `${clientId} shows no QR: its status is ${status}`, {
        suggestions: status === 'connected' ? [] : [`start pairing: switchboard pair ${clientId}`],
      });
    }
    await wait(clock, LOOK_MS);
  }
}

function refusal(error: SandboxRefusal): CliError {
  const suggestions =
    error.code === 'phone_unknown'
      ? ['create a phone: switchboard sandbox phone +15550000001 --name Alice']
      : [];
  // a sandbox has no tokens: 403 means that the person may not do that
  const failure = error.status === 403 ? 'refused' : failureOfStatus(error.status);
  return new CliError(failure, error.message, { suggestions, cause: error });
}

/** The error for an unreachable sandbox; fetch puts the reason into `cause`. */
function unreachable(url: string, error: unknown): CliError {
  const reason = error instanceof Error && error.cause ? error.cause : error;
  return new CliError('unreachable', `no sandbox network at ${url}: ${explainConnection(reason)}`, {
    suggestions: [
      'start a sandbox: switchboard sandbox start',
      'or a daemon with an embedded sandbox: switchboard start --network sandbox',
      'or set --sandbox-url or SWITCHBOARD_SANDBOX_URL',
    ],
    cause: error,
  });
}
