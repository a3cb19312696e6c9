import type { LocationExtra } from '../../contract/events/extras.js';
import { type LocationPayload, locationSend } from '../../contract/sends/location.js';
import { mentioning } from './context-info.js';
import type { Content, Kind, KindSend } from './kind.js';

const send: KindSend<LocationPayload> = {
  ...locationSend,
  compose: ({ latitude, longitude, name, address }, { mentionedJids }) => ({
    location: {
      degreesLatitude: latitude,
      degreesLongitude: longitude,
      ...(name && { name }),
      ...(address && { address }),
      ...mentioning(mentionedJids),
    },
  }),
};

/** A place on the map, pinned or moving with somebody. */
export const location: Kind = {
  name: 'location',
  send,
  storedType: 'location',
  read(content) {
    const place = placeIn(content);
    if (!place) return undefined;
    const { name, address, latitude, longitude } = place;
    const body = name || address || `${latitude}, ${longitude}`;
    return { type: 'location', body, extra: { location: place } };
  },
};

function placeIn({ locationMessage, liveLocationMessage }: Content): LocationExtra | undefined {
  const position = locationMessage ?? liveLocationMessage;
  if (!position) return undefined;
  return {
    latitude: degrees(position.degreesLatitude),
    longitude: degrees(position.degreesLongitude),
    name: locationMessage?.name || locationMessage?.comment || liveLocationMessage?.caption || '',
    address: locationMessage?.address ?? '',
    live: !locationMessage || locationMessage.isLive === true,
  };
}

/** Converts NaN and Infinity, which a sender may write but JSON cannot express. */
function degrees(value: number | null | undefined): number {
  return Number.isFinite(value) ? Number(value) : 0;
}
