import { LIMITS } from '../../src/domain/limits.js';

/** Invalid values of a field. */
export interface Field {
  /** Values of a wrong type or form. */
  wrong: unknown[];
  tooLong?: unknown;
}

export type Fields = Record<string, Field>;

const letters = (count: number) => 'a'.repeat(count);
/** A text for people: not blank. */
const shown = (max: number): Field => ({
  wrong: [7, null, {}, [], '', ' ', ' \n'],
  tooLong: letters(max + 1),
});
/** A text that may be empty. */
const text = (max: number): Field => ({ wrong: [7, null, {}], tooLong: letters(max + 1) });
const FLAG: Field = { wrong: ['true', 1, null] };

export const CLIENT_ID: Field = {
  wrong: [7, null, true, ['acme'], {}, '', 'ac-me', 'acme!', 'ac me', 'äcme'],
  tooLong: letters(65),
};
export const MESSAGE_ID: Field = { wrong: [7, null, {}, ''], tooLong: letters(129) };
export const ADDRESSED: Fields = {
  clientId: CLIENT_ID,
  to: { wrong: [15550000002, null, {}, ''], tooLong: '1'.repeat(129) },
};
export const META_DATA: Field = { wrong: ['text', '{}', '{"a":1}', 7, null, [], ['a']] };
const ENVELOPE: Fields = {
  ...ADDRESSED,
  quotedMessageId: MESSAGE_ID,
  mentions: {
    wrong: ['90000000000002', '["90000000000002"]', [7], ['abc'], ['bob'], ['1234'], {}],
    tooLong: Array(1_025).fill('90000000000002'),
  },
  metaData: META_DATA,
  whenAllowed: FLAG,
};

const BUTTONS: Field = {
  wrong: [
    'yes',
    null,
    {},
    [],
    ['yes'],
    [null],
    [{}],
    [{ type: 'list' }],
    [{ type: 'no_such_type', displayText: 'x' }],
    [{ type: 'quick_reply', displayText: 'no id' }],
    [{ type: 'quick_reply', id: 'no text' }],
    [{ type: 'cta_url', displayText: 'x', url: 'example.com' }],
    [{ type: 'cta_call', displayText: 'x', phoneNumber: 'call me' }],
    [{ type: 'cta_copy', displayText: 'x', id: 'x' }],
    [{ type: 'quick_reply', displayText: 'x', id: 'x', suprise: 1 }],
  ],
  tooLong: Array.from({ length: 11 }, (_, index) => ({
    type: 'quick_reply',
    displayText: `${index}`,
    id: `${index}`,
  })),
};

const row = { id: 'a', title: 'A' };
const SECTIONS: Field = {
  wrong: [
    null,
    {},
    [],
    [null],
    [{}],
    [{ rows: [] }],
    [{ rows: [{ id: 'a' }] }],
    [{ rows: [{ id: 'a', title: letters(25) }] }],
    [{ rows: [{ ...row, description: letters(73) }] }],
    // an id twice, in one section and in two
    [{ rows: [row, row] }],
    ['Warm', 'Cold'].map((title) => ({ title, rows: [row] })),
    // several sections without a title
    ['a', 'b'].map((id) => ({ rows: [{ id, title: 'A' }] })),
  ],
  tooLong: [{ rows: Array.from({ length: 11 }, (_, index) => ({ id: `${index}`, title: 'A' })) }],
};

/** What each field of the routes that send refuses, by path: also beside three options of a poll. */
export const SEND_REFUSALS: Readonly<Record<string, Fields>> = {
  '/send-message': { ...ENVELOPE, body: shown(LIMITS.textLength), linkPreview: FLAG },
  '/send-poll-message': {
    ...ENVELOPE,
    pollName: shown(255),
    pollOptions: {
      wrong: [
        'Pizza',
        null,
        [],
        ['Pizza'],
        ['Pizza', 'Pizza'],
        ['Pizza', ''],
        ['Pizza', ' '],
        ['Pizza', 7],
        ['Pizza', letters(101)],
      ],
      tooLong: Array.from({ length: 13 }, (_, index) => `Option ${index}`),
    },
    selectableCount: { wrong: [0, -1, 1.5, 4, '1', null] },
  },
  '/send-interactive-message': {
    ...ENVELOPE,
    bodyText: shown(LIMITS.textLength),
    footerText: text(1_000),
    buttons: BUTTONS,
  },
  '/send-list-message': {
    ...ENVELOPE,
    title: text(60),
    bodyText: shown(LIMITS.textLength),
    footerText: text(1_000),
    buttonText: shown(20),
    sections: SECTIONS,
  },
  '/pin-message': {
    ...ADDRESSED,
    messageId: MESSAGE_ID,
    pinned: FLAG,
    duration: { wrong: [0, 3_600, '86400', null] },
  },
  '/send-contact': {
    ...ENVELOPE,
    displayName: shown(256),
    phone: {
      wrong: [15550000003, null, '', '0155', '+1 555 0000003', 'Ada', 'call me'],
      tooLong: '1'.repeat(16),
    },
    vcard: {
      wrong: [7, null, '', 'Ada', 'FN:Ada', 'BEGIN:VCARD', 'BEGIN:VCARD\nFN:Ada', 'BEGIN:VCARD END:VCARD'],
      tooLong: `BEGIN:VCARD\nFN:${letters(65_537)}\nEND:VCARD`,
    },
  },
  '/send-location': {
    ...ENVELOPE,
    latitude: { wrong: [90.001, 90.01, -90.01, -91, '52.5', null] },
    longitude: { wrong: [180.001, 180.01, -180.01, -181, '13.4', null] },
    name: text(1_000),
    address: text(1_000),
  },
  '/send-reaction': {
    ...ADDRESSED,
    messageId: MESSAGE_ID,
    emoji: {
      wrong: [7, null, {}, 'a', 'ok', '👍👍', '👍 ', '1', '\u{1f1e9}'],
      tooLong: '👍'.repeat(33),
    },
    targetFromMe: FLAG,
  },
  '/edit-message': { ...ADDRESSED, messageId: MESSAGE_ID, body: shown(LIMITS.textLength) },
};
