import type { StoredPicture } from '../account.js';

/** The version of a picture as clients are told it; empty when there is none. */
export function versionOf(picture: StoredPicture | undefined): string {
  return picture?.image ? String(picture.version) : '';
}
