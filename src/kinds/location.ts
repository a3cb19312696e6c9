import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import type { LocationExtra } from '../events/extras.js';
import { mentioning } from './context-info.js';
import { characters, envelopeFields } from './fields.js';
import type { Content, Kind, KindSend, SendPayload } from './kind.js';

interface LocationPayload extends SendPayload {
  latitude: number;
  longitude: number;
  name?: string;
  address?: string;
}

const MAX_LATITUDE = 90;
const MAX_LONGITUDE = 180;
const placeText = characters(LIMITS.placeLength).allow('');

const send: KindSend<LocationPayload> = {
  path: '/send-location',
  description: 'Send a place',
  payload: Joi.object<LocationPayload>({
    ...envelopeFields,
    latitude: Joi.number().min(-MAX_LATITUDE).max(MAX_LATITUDE).required().example(52.520008),
    longitude: Joi.number().min(-MAX_LONGITUDE).max(MAX_LONGITUDE).required().example(13.404954),
    name: placeText.example('Berlin office'),
    address: placeText.example('Alexanderplatz 1, Berlin'),
  }),
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
