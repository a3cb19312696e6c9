import { proto } from '@whiskeysockets/baileys';
import { uploadEncrypted } from '../../media/encryption.js';
import type { Blobs } from '../../media/host.js';
import { isCollection, type MissingPatches } from '../../phone/app-state/collection.js';
import type { SharedSettings } from '../../phone/app-state/shared-settings.js';
import { IqError } from '../../wire/refusals.js';
import { bytesOf, child, childrenOf, type Stanza, stanza } from '../../wire/stanza.js';
import { asker, asks, type IqNamespace, type IqRequest } from './iq.js';

const CONFLICT = stanza('error', { code: '409', text: 'conflict' });
const BAD_REQUEST = stanza('error', { code: '400', text: 'bad-request' });

/** The settings of an account: its devices ask for the patches that they lack, and upload their own. */
export const appState: IqNamespace = {
  xmlns: 'w:sync:app:state',
  async answer(request) {
    if (!asks(request, 'set', 'sync')) throw new IqError(400, 'bad-request');
    const { account } = asker(request);
    if (request.network.faults.take('ignore-app-state', account)) return 'silence';
    const { settings } = request.phones.of(account);
    const answers: Stanza[] = [];
    for (const collection of childrenOf(request.body))
      answers.push(await answer(request, settings, collection));
    return { content: [stanza('sync', {}, answers)] };
  },
};

async function answer(request: IqRequest, settings: SharedSettings, asked: Stanza): Promise<Stanza> {
  const { name } = asked.attrs;
  const version = Number(asked.attrs.version ?? 0);
  if (!isCollection(name) || !Number.isSafeInteger(version) || version < 0) return refusal(name, BAD_REQUEST);
  const collection = settings.collection(name);
  const upload = child(asked, 'patch');
  const { blobs } = request.network.media;
  if (!upload) {
    const missing = collection.since(version);
    const attrs = { name, version: String(collection.version), has_more_patches: String(missing.hasMore) };
    const content = await elementsOf(blobs, missing);
    return stanza('collection', attrs, content.length > 0 ? content : undefined);
  }
  const author = asker(request);
  if (request.network.faults.take('app-state-conflict', author.account))
    await settings.provokeConflict(name, author);
  const patch = readPatch(upload);
  if (!patch) return refusal(name, BAD_REQUEST);
  if (!settings.upload(author, name, version, patch)) return conflict(name, collection.since(version), blobs);
  return stanza('collection', { name, version: String(collection.version) });
}

/** Refuses an upload with what the device lacks: it applies this, and uploads its change anew. */
async function conflict(name: string, missing: MissingPatches, blobs: Blobs): Promise<Stanza> {
  const attrs = { name, type: 'error', has_more_patches: String(missing.hasMore) };
  return stanza('collection', attrs, [CONFLICT, ...(await elementsOf(blobs, missing))]);
}

/** Patches are part of the answer; a snapshot goes through the media host. */
async function elementsOf(blobs: Blobs, { snapshot, patches }: MissingPatches): Promise<Stanza[]> {
  const list = patches.map((patch) => stanza('patch', {}, patch));
  return [
    ...(snapshot ? [stanza('snapshot', {}, await upload(blobs, snapshot))] : []),
    ...(list.length > 0 ? [stanza('patches', {}, list)] : []),
  ];
}

async function upload(blobs: Blobs, snapshot: Buffer): Promise<Uint8Array> {
  const { size, ...rest } = await uploadEncrypted(blobs, snapshot, 'app-state', 'md-app-state');
  return proto.ExternalBlobReference.encode({ ...rest, fileSizeBytes: size }).finish();
}

function refusal(name: string | undefined, error: Stanza): Stanza {
  return stanza('collection', { name, type: 'error' }, [error]);
}

/** Undefined when the bytes are no patch, or lack what a device needs to verify it. */
function readPatch(upload: Stanza): proto.SyncdPatch | undefined {
  try {
    const patch = proto.SyncdPatch.decode(bytesOf(upload));
    const isWhole = patch.patchMac && patch.snapshotMac && patch.keyId?.id;
    return isWhole && patch.mutations.every(({ record }) => record?.index?.blob && record.value?.blob)
      ? patch
      : undefined;
  } catch {
    return undefined;
  }
}
