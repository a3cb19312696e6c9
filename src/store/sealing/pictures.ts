import type { PictureRecord, PictureStore } from '../store.js';
import type { Place } from './envelope.js';
import type { Sealers } from './sealer.js';

/** Seals the network's addresses of pictures: whoever has one can see its picture, hidden or not. */
export function sealedPictures(pictures: PictureStore, sealers: Sealers): PictureStore {
  return {
    async get(clientId, jid, preview) {
      const picture = await pictures.get(clientId, jid, preview);
      if (!picture) return undefined;
      const sealer = await sealers.of(clientId);
      return { ...picture, url: sealer.openText(placeOf(picture), picture.url) };
    },
    async put(clientId, picture) {
      const sealer = await sealers.of(clientId);
      await pictures.put(clientId, { ...picture, url: sealer.sealText(placeOf(picture), picture.url) });
    },
  };
}

function placeOf({ jid, preview }: PictureRecord): Place {
  return ['pictures', 'url', jid, preview ? 'preview' : 'full'];
}
