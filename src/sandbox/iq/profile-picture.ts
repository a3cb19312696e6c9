import type { StoredPicture } from '../account.js';
import type { Chat } from '../chat.js';
import { Group } from '../groups/group.js';
import { GroupRefusal } from '../groups/refusal.js';
import { requireEditor, requireMember } from '../groups/rights.js';
import { changePicture } from '../people/picture.js';
import { Refusal } from '../refusal.js';
import { bytesOf, stanza } from '../wire/stanza.js';
import { asker, asks, type IqAnswer, IqError, type IqNamespace, type IqRequest } from './iq.js';

const HIDDEN = new IqError(401, 'not-authorized');
const NONE = new IqError(404, 'item-not-found');

/** Pictures of people and groups: where they are, and new ones. */
export const profilePicture: IqNamespace = {
  xmlns: 'w:profile:picture',
  async answer(request) {
    try {
      return request.iq.attrs.type === 'set' ? await change(request) : find(request);
    } catch (error) {
      if (error instanceof GroupRefusal) throw new IqError(error.code, error.message);
      if (error instanceof Refusal) throw new IqError(406, 'not-acceptable');
      throw error;
    }
  },
};

/** @throws IqError 401 when it is hidden, 404 when there is none */
function find(request: IqRequest): IqAnswer {
  if (!asks(request, 'get', 'picture')) throw new IqError(400, 'bad-request');
  const { network, body } = request;
  const owner = targetOf(request);
  const { account } = asker(request);
  if (owner instanceof Group) requireMember(owner, account);
  else if (owner !== account && owner.privacy('profile') === 'none') throw HIDDEN;
  const type = body?.attrs.type === 'preview' ? 'preview' : 'image';
  const sha256 = fileOf(owner.record.picture, type);
  const id = String(owner.record.picture?.version ?? 0);
  const url = network.pictureUrls.sign(sha256);
  const direct_path = `${url.pathname}${url.search}`;
  return { content: [stanza('picture', { id, type, url: url.href, direct_path })] };
}

function fileOf(picture: StoredPicture | undefined, type: 'preview' | 'image'): string {
  const sha256 = picture?.[type];
  if (!sha256) throw NONE;
  return sha256;
}

/** Without bytes the picture is taken away. */
async function change(request: IqRequest): Promise<IqAnswer> {
  const { network, body } = request;
  const owner = targetOf(request);
  const { account } = asker(request);
  if (owner instanceof Group) requireEditor(owner, account);
  else if (owner !== account) throw new IqError(403, 'forbidden');
  const bytes = bytesOf(body);
  await changePicture(network, owner, account, bytes.length > 0 ? bytes : null);
  return { content: [stanza('picture', { id: String(owner.record.picture?.version ?? 0) })] };
}

/** Whose picture it is about: the asker's own when nobody is named. @throws IqError 404 */
function targetOf(request: IqRequest): Chat {
  const { network, iq } = request;
  const { target } = iq.attrs;
  if (target === undefined) return asker(request).account;
  const owner = network.groups.byJid(target) ?? network.registry.byJid(target);
  if (!owner) throw NONE;
  return owner;
}
