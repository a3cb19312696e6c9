import type { MediaKind } from '../api.js';

/**
 * The network's media hosts, in the order in which clients try them. They have the real ones' names, so that URLs look
 * real; clients send all traffic for them here.
 */
export const MEDIA_HOSTS = ['mmg.whatsapp.net', 'mmg-fna.whatsapp.net'] as const;

const PATH = /\/v\/[a-z-]+\/([^/]+)\.enc(?:\?|$)/;

/** Where a file of that name can be had, without the host. */
export function directPath(kind: string, name: string): string {
  return `/v/${kind}/${name}.enc`;
}

/** The whole address that uploads are answered with. */
export function mediaUrl(path: string): string {
  return `https://${MEDIA_HOSTS[0]}${path}`;
}

/** The name of the file that a path leads to. */
export function nameInPath(path: string): string | undefined {
  return PATH.exec(path)?.[1];
}

/** Stickers travel as pictures. */
export function uploadKind(kind: MediaKind): string {
  return kind === 'sticker' ? 'image' : kind;
}
