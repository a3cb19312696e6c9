import { expect } from 'chai';
import { MESSAGE_EVENT_TYPES, type MessageEventType } from '../../src/events/catalogue.js';
import { sampleEvent } from '../../src/events/sample.js';
import { readContent } from '../../src/kinds/index.js';
import type { Content } from '../../src/kinds/kind.js';
import { composeVcard } from '../../src/kinds/vcard.js';

const CONTEXT = { clientId: 'acme', orgId: '', myLid: '90000000000001', at: 1_795_000_000_000 };
const key = { id: 'EARLIER', fromMe: true };
const size = { width: 640, height: 480 };

/** A content of each type, as phones write it. */
const CONTENTS: Record<MessageEventType, Content> = {
  text: { conversation: 'hi' },
  image: { imageMessage: size },
  video: { videoMessage: { ...size, seconds: 5 } },
  audio: { audioMessage: { seconds: 5, ptt: true } },
  document: { documentMessage: { fileName: 'a.pdf' } },
  sticker: { stickerMessage: size },
  poll_creation: { pollCreationMessageV3: { name: '?', options: [{ optionName: 'a' }] } },
  vote_update: { pollUpdateMessage: { pollCreationMessageKey: key } },
  interactive_reply: { buttonsResponseMessage: { selectedButtonId: 'yes', contextInfo: { stanzaId: 'A1' } } },
  contact: { contactMessage: { displayName: 'Ada', vcard: composeVcard('Ada', '15550000003') } },
  location: { locationMessage: { degreesLatitude: 1, degreesLongitude: 1 } },
  reaction: { reactionMessage: { key, text: '👍' } },
  edit: { protocolMessage: { type: 14, key, editedMessage: { conversation: 'better' } } },
  revoke: { protocolMessage: { type: 0, key } },
};

const ENVELOPE = new Set(Object.keys(sampleEvent('text', CONTEXT)));

/** The fields that an event has beside the envelope, and what kind of value each holds. */
function extraOf(type: MessageEventType): object {
  return Object.fromEntries(
    Object.entries(sampleEvent(type, CONTEXT)).filter(([name]) => !ENVELOPE.has(name)),
  );
}

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

describe('the sample of each event type', () => {
  for (const type of MESSAGE_EVENT_TYPES) {
    it(`${type} has the fields that a real one has`, () => {
      const { reading } = readContent(CONTENTS[type]);
      expect(reading.type).to.equal(type);
      expect(shapeOf(extraOf(type))).to.deep.equal(shapeOf(reading.extra ?? {}));
    });
  }
});
