import { Readable } from 'node:stream';
import sharp from 'sharp';
import { Account, versionOf } from '../state/account.js';
import type { Chat } from '../state/directory.js';
import type { Network } from '../state/network.js';
import type { StoredPicture } from '../state/records.js';
import { Refusal } from '../wire/refusals.js';
import { stanza } from '../wire/stanza.js';
import { hasBlocked } from './blocks.js';
import { allows } from './privacy.js';

/** Pixels of each side, at most. */
const IMAGE_PX = 640;
const PREVIEW_PX = 96;

/**
 * Changes or removes the picture of a person or a group, and notifies everybody who may see it.
 * @param bytes an image of any format; null removes the picture
 * @throws Refusal 400 when the bytes are no image
 */
export async function changePicture(
  network: Network,
  owner: Chat,
  author: Account,
  bytes: Buffer | null,
): Promise<void> {
  const sizes = bytes && (await inBothSizes(network, bytes));
  const version = Math.max(network.now(), (owner.record.picture?.version ?? 0) + 1);
  owner.record.picture = { version, ...sizes };
  owner.keep();
  tell(network, owner, author, owner.record.picture);
}

async function inBothSizes(
  network: Network,
  bytes: Buffer,
): Promise<Pick<StoredPicture, 'image' | 'preview'>> {
  const [image, preview] = await Promise.all([
    shrink(bytes, IMAGE_PX, 'inside'),
    shrink(bytes, PREVIEW_PX, 'cover'),
  ]);
  const keep = async (file: Buffer) => (await network.media.files.put([Readable.from([file])])).sha256;
  return { image: await keep(image), preview: await keep(preview) };
}

async function shrink(bytes: Buffer, pixels: number, fit: 'inside' | 'cover'): Promise<Buffer> {
  try {
    const size = { width: pixels, height: pixels, fit, withoutEnlargement: fit === 'inside' };
    return await sharp(bytes).resize(size).jpeg().toBuffer();
  } catch {
    throw new Refusal('picture_invalid', '"picture" must be an image');
  }
}

function tell(network: Network, owner: Chat, author: Account, picture: StoredPicture): void {
  const isPerson = owner instanceof Account;
  const from = isPerson ? owner.privateJid(network.addressing) : owner.jid();
  const attrs = {
    id: versionOf(picture) || undefined,
    jid: from,
    author: author.jid(network.addressing),
  };
  const change = stanza(picture.image ? 'set' : 'delete', attrs);
  for (const { companions } of isPerson ? viewersOf(network, owner) : network.directory.membersOf(owner)) {
    for (const companion of companions.values())
      network.notify(companion, { from, type: 'picture' }, [change]);
  }
}

/** True for everybody but the people that the owner has blocked, and those whom the privacy setting excludes. */
export function showsPicture(owner: Account, other: Account): boolean {
  return !hasBlocked(owner, other) && allows(owner, 'profile', other);
}

/** The contacts who may see the person's picture. */
function viewersOf(network: Network, owner: Account): Account[] {
  return [...network.directory.contactsOf(owner)].filter((other) => showsPicture(owner, other));
}
