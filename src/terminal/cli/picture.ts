import { Args, Flags } from '@oclif/core';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import { detectType, isAddress, openUpload } from './send-media.js';

/** The picture that a command sets. */
export function pictureArg() {
  return Args.string({ description: 'path of a picture, or an http(s) URL that the daemon downloads' });
}

/** The flag of commands that set a picture, to remove it. */
export function removeFlag() {
  return Flags.boolean({ description: 'remove the picture' });
}

/**
 * Sets or removes a picture.
 * @param fields name whose picture it is
 * @throws CliError
 */
export async function setPicture(
  client: DaemonClient,
  path: '/set-profile-picture' | '/set-group-picture',
  fields: { clientId: string; groupJid?: string },
  { source, remove = false }: { source?: string | undefined; remove?: boolean | undefined },
): Promise<void> {
  if (remove === (source !== undefined)) {
    throw new CliError('usage', remove ? '--remove takes no picture' : 'which picture?', {
      suggestions: ['name a file or a URL, or give --remove'],
    });
  }
  if (source !== undefined && !isAddress(source)) {
    const form = await openUpload(source, await detectType(source), fields, () => undefined);
    await client.uploadForm(path, fields.clientId, form);
    return;
  }
  await client.text('POST', path, { ...fields, downloadUrl: source ?? '' });
}
