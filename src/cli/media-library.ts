import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';

/** A stored file. */
export interface FileRow {
  /** Of the file's record; no message has this id. */
  messageId: string;
  mimeType: string;
  mediaType: string;
  fileName: string;
  /** Bytes. */
  fileSize: number;
  caption: string;
  /** RFC 3339. */
  createdAt: string;
}

export interface FilePage {
  files: FileRow[];
  pagination: { page: number; limit: number; total: number };
}

/**
 * A page of a session's stored files, newest first.
 * @throws CliError `conflict` when the session has no workspace, and so stores none
 */
export async function listFiles(
  client: DaemonClient,
  clientId: string,
  { page, limit }: { page: number; limit: number },
): Promise<FilePage> {
  const query = { clientId, orgId: await workspaceOf(client, clientId), page: `${page}`, limit: `${limit}` };
  const { files, pagination } = await client.call<FilePage>('GET', '/media-files', { query });
  return { files, pagination };
}

async function workspaceOf(client: DaemonClient, clientId: string): Promise<string> {
  const session = (await client.clients()).find((row) => row.clientId === clientId);
  if (!session) throw new CliError('not_found', `there is no session ${clientId}`);
  if (session.orgId) return session.orgId;
  throw new CliError('conflict', `${clientId} keeps no files, because it has no workspace`, {
    suggestions: [`keep them from now on: switchboard sessions org ${clientId} NAME`],
  });
}

/** The permanent link to a stored file. */
export async function fileUrl(client: DaemonClient, id: string): Promise<string> {
  return (await client.call<{ url: string }>('GET', `/media-files/${encodeURIComponent(id)}/url`, {})).url;
}
