import { MAX_FILE_BYTES } from '../../../contract/sandbox/contents.js';
import { requireEditor, requireMember } from '../../groups/membership.js';
import { MEDIA_HOSTS } from '../../media/host.js';
import { changePicture, showsPicture } from '../../people/pictures.js';
import type { Chat } from '../../state/directory.js';
import { Group } from '../../state/group.js';
import type { StoredPicture } from '../../state/records.js';
import { GroupRefusal, IqError, Refusal } from '../../wire/refusals.js';
import { bytesOf, stanza } from '../../wire/stanza.js';
import { asker, asks, EMPTY, type IqAnswer, type IqNamespace, type IqRequest } from './iq.js';

const TTL_S = 3_600;
/** As in the answers of the network (whatsmeow `mediaconn.go`, whatsapp-rust `iq/mediaconn.rs`): clients fail without it. */
const MAX_BUCKETS = '12';

/** The media hosts, and the token for uploads. */
export const mediaConn: IqNamespace = {
  xmlns: 'w:m',
  answer(request) {
    if (!asks(request, 'set', 'media_conn')) throw new IqError(400, 'bad-request');
    const auth = request.network.media.tokens.of(asker(request).account.lid);
    const hosts = MEDIA_HOSTS.map((hostname, position) =>
      stanza('host', {
        hostname,
        type: position === 0 ? 'primary' : 'fallback',
        maxContentLengthBytes: String(MAX_FILE_BYTES),
      }),
    );
    const ttl = String(TTL_S);
    return { content: [stanza('media_conn', { auth, ttl, auth_ttl: ttl, max_buckets: MAX_BUCKETS }, hosts)] };
  },
};

const HIDDEN = new IqError(401, 'not-authorized');
const NONE = new IqError(404, 'item-not-found');

/** Pictures of people and groups: their URLs, and changes. */
export const profilePicture: IqNamespace = {
  xmlns: 'w:profile:picture',
  async answer(request) {
    try {
      return request.iq.attrs.type === 'set' ? await change(request) : find(request);
    } catch (error) {
      if (error instanceof GroupRefusal) throw new IqError(error.wireCode, error.message);
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
  else if (!showsPicture(owner, account)) throw HIDDEN;
  const type = body?.attrs.type === 'preview' ? 'preview' : 'image';
  const sha256 = fileOf(owner.record.picture, type);
  const id = String(owner.record.picture?.version ?? 0);
  // nothing for a client that has the picture (whatsmeow `GetProfilePictureInfo`)
  if (body?.attrs.id === id) return EMPTY;
  const url = network.media.pictureUrls.sign(sha256);
  const direct_path = `${url.pathname}${url.search}`;
  return { content: [stanza('picture', { id, type, url: url.href, direct_path })] };
}

function fileOf(picture: StoredPicture | undefined, type: 'preview' | 'image'): string {
  const sha256 = picture?.[type];
  if (!sha256) throw NONE;
  return sha256;
}

/** A query without bytes removes the picture. */
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

/** The owner of the picture: the asker when the query names nobody. @throws IqError 404 */
function targetOf(request: IqRequest): Chat {
  const { network, iq } = request;
  const { target } = iq.attrs;
  if (target === undefined) return asker(request).account;
  const owner = network.directory.groups.byJid(target) ?? network.directory.byJid(target);
  if (!owner) throw NONE;
  return owner;
}
