import {
  anyFields,
  count,
  flag,
  listOf,
  named,
  oneOf,
  optional,
  record,
  type TypeOf,
  text,
} from '../schema.js';
import { deviceParams, MAX_PICTURE_BODY_BYTES, number, numberParams, picture, shortText } from './fields.js';
import { controlOperation } from './operation.js';

const MAX_NAME = 100;
const MAX_STATUS = 139;

const deviceFields = {
  id: count,
  platform: text.description('As the phone shows it: `Chrome (Mac OS)`'),
  connected: flag,
};
/** A device that is linked to a phone. */
export const deviceView = named('DeviceView', deviceFields);
export type DeviceView = TypeOf<typeof deviceView>;

/** A decoded message of the protocol: names of enums, bytes in base64. */
const payloadView = anyFields().meta({ name: 'PayloadView' });
export type PayloadView = TypeOf<typeof payloadView>;

/** A linked device with what it sent to the network about itself; without its keys. */
const deviceDetails = named('DeviceDetails', {
  ...deviceFields,
  preKeys: count.description('One-time keys of the device that the network has left'),
  registrationId: count,
  address: optional(text).description(
    'Where its connection came from, as `ip:port`; absent while it is not connected',
  ),
  registration: optional(record({ payload: payloadView, deviceProps: payloadView })).description(
    'The `ClientPayload` of its registration and its `DeviceProps`; absent for devices of an older sandbox',
  ),
  login: optional(payloadView).description('The `ClientPayload` of its last login since the sandbox started'),
});
export type DeviceDetails = TypeOf<typeof deviceDetails>;

const addresses = {
  number,
  name: text,
  jid: text.description('`…@s.whatsapp.net`'),
  lid: text.description('`…@lid`'),
};
const passkeyNeed = oneOf('required', 'off').description(
  '`required`: a device is linked only after a passkey ceremony',
);
/** A simulated person's phone. */
const phoneView = named('PhoneView', {
  ...addresses,
  status: text,
  username: text,
  businessName: text.description('The verified name of a business; else empty'),
  pictureId: text.description('Version of the picture; empty when there is none'),
  pictureHidden: flag,
  onlyAdminsAddMe: flag,
  hideLid: flag,
  passkey: passkeyNeed,
  devices: listOf(deviceView),
});
export type PhoneView = TypeOf<typeof phoneView>;

const ADDRESSES = {
  number: '+15550000001',
  name: 'Alice',
  jid: '15550000001@s.whatsapp.net',
  lid: '483021177260442@lid',
};
const DEVICE: DeviceView = { id: 1, platform: 'Chrome (Mac OS)', connected: true };
export const LINKED = { device: DEVICE };
const PHONE: PhoneView = {
  ...ADDRESSES,
  status: '',
  username: '',
  businessName: '',
  pictureId: '',
  pictureHidden: false,
  onlyAdminsAddMe: false,
  hideLid: false,
  passkey: 'off',
  devices: [DEVICE],
};

const name = shortText(MAX_NAME).min(1).example('Alice');
const hideLid = flag.description('Private chats show only the number, groups only the LID');
/** A change of a person's profile and privacy. */
const profileUpdate = named('ProfileUpdate', {
  name: optional(name),
  status: optional(shortText(MAX_STATUS).allow('')),
  username: optional(shortText(MAX_NAME).allow('')),
  businessName: optional(
    shortText(MAX_NAME)
      .allow('')
      .description('Makes the person a business with a verified name; empty for none'),
  ),
  picture: optional(picture),
  pictureHidden: optional(flag),
  onlyAdminsAddMe: optional(
    flag.description('Nobody can add the person to a group directly: admins must invite'),
  ),
  hideLid: optional(hideLid),
  passkey: optional(passkeyNeed),
}).min(1);
export type ProfileUpdate = TypeOf<typeof profileUpdate>;

/** People, their phones and the devices that are linked to these. */
export const phones = {
  addPhone: controlOperation({
    method: 'POST',
    path: '/phones',
    summary: 'Add a person with a phone',
    body: record({ number, name: optional(name), hideLid: optional(hideLid) }),
    status: 201,
    answer: record(addresses),
    example: ADDRESSES,
    errors: ['phone_taken'],
  }),
  phones: controlOperation({
    method: 'GET',
    path: '/phones',
    summary: 'List all phones',
    answer: record({ phones: listOf(phoneView) }),
    example: { phones: [PHONE] },
    client: { gives: 'phones' },
  }),
  phone: controlOperation({
    method: 'GET',
    path: '/phones/{number}',
    summary: 'Show a phone',
    params: numberParams,
    answer: phoneView,
    example: PHONE,
  }),
  device: controlOperation({
    method: 'GET',
    path: '/phones/{number}/devices/{id}',
    summary: 'Show a linked device with the payloads of its registration and its last login',
    params: deviceParams,
    answer: deviceDetails,
    example: { ...DEVICE, preKeys: 30, registrationId: 4711, address: '127.0.0.1:50000' },
    errors: ['device_unknown'],
  }),
  update: controlOperation({
    method: 'PATCH',
    path: '/phones/{number}',
    summary: 'Change the profile and the privacy of a person',
    params: numberParams,
    body: profileUpdate,
    maxBytes: MAX_PICTURE_BODY_BYTES,
    answer: phoneView,
    example: PHONE,
    errors: ['picture_invalid'],
  }),
  changeNumber: controlOperation({
    method: 'POST',
    path: '/phones/{number}/change-number',
    summary: 'Give a person another number',
    description: 'The person keeps the LID; its linked devices are removed.',
    params: numberParams,
    body: record({ number }),
    answer: phoneView,
    example: PHONE,
    errors: ['phone_taken'],
    client: { takes: ['number'] },
  }),
  reinstall: controlOperation({
    method: 'POST',
    path: '/phones/{number}/reinstall',
    summary: 'Install WhatsApp anew on a phone',
    description:
      'The phone keeps its messages and has new keys: contacts learn that its identity has changed, and its linked devices are removed.',
    params: numberParams,
    answer: phoneView,
    example: PHONE,
  }),
};
