import { Readable } from 'node:stream';
import sharp from 'sharp';
import { Account, type StoredPicture } from '../account.js';
import type { Chat } from '../chat.js';
import { membersOf } from '../groups/announce.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { stanza } from '../wire/stanza.js';
import { acquaintances } from './acquaintances.js';
import { versionOf } from './picture-version.js';

/** Pixels of each side, at most. */
const IMAGE_PX = 640;
const PREVIEW_PX = 96;

/**
 * Gives a person or a group another picture, or none; everybody who may see it is told.
 * @param bytes any image that can be read; null takes the picture away
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
  const keep = async (file: Buffer) => (await network.files.put([Readable.from([file])])).sha256;
  return { image: await keep(image), preview: await keep(preview) };
}

async function shrink(bytes: Buffer, pixels: number, fit: 'inside' | 'cover'): Promise<Buffer> {
  try {
    const size = { width: pixels, height: pixels, fit, withoutEnlargement: fit === 'inside' };
    return await sharp(bytes).resize(size).jpeg().toBuffer();
  } catch {
    throw new Refusal(400, '"picture" must be an image');
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
  for (const { companions } of isPerson ? viewersOf(network, owner) : membersOf(network, owner)) {
    for (const { mailbox } of companions.values()) {
      const head = { from, type: 'picture', id: network.newId(), t: String(network.now()) };
      mailbox.push(stanza('notification', head, [change]));
    }
  }
}

/** Who may see a person's picture and knows the person. */
function viewersOf(network: Network, owner: Account): Iterable<Account> {
  return owner.privacy('profile') === 'none' ? [owner] : acquaintances(network, owner);
}
