import type { PhoneContent } from './content.js';

/** A pin on the map, or the first position of a live location. */
export const location: PhoneContent = {
  write: {
    key: 'location',
    compose({ location: place }, { contextInfo }) {
      if (!place) return undefined;
      const { latitude, longitude, name, address, live } = place;
      const position = {
        degreesLatitude: latitude,
        degreesLongitude: longitude,
        ...(contextInfo && { contextInfo }),
      };
      if (live) {
        return {
          message: {
            liveLocationMessage: { ...position, ...(name && { caption: name }), sequenceNumber: 1 },
          },
          shape: { type: 'media', enc: { mediatype: 'livelocation' } },
        };
      }
      return {
        message: { locationMessage: { ...position, ...(name && { name }), ...(address && { address }) } },
        shape: { type: 'media', enc: { mediatype: 'location' } },
      };
    },
  },
  read({ locationMessage, liveLocationMessage }) {
    const position = locationMessage ?? liveLocationMessage;
    if (!position) return undefined;
    const name = (locationMessage?.name || liveLocationMessage?.caption) ?? '';
    return {
      type: 'location',
      text: name,
      location: {
        latitude: position.degreesLatitude ?? 0,
        longitude: position.degreesLongitude ?? 0,
        name,
        address: locationMessage?.address ?? '',
        live: Boolean(liveLocationMessage ?? locationMessage?.isLive),
      },
    };
  },
};
