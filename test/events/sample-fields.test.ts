import { expect } from 'chai';
import { isGatewayError } from '../../src/domain/errors.js';
import type { ExtraEventType, MessageEventType } from '../../src/events/catalogue.js';
import { type SampleFields, sampleEvent } from '../../src/events/sample.js';

const CONTEXT = { clientId: 'acme', orgId: '', myLid: '90000000000001', at: 1_795_000_000_000 };

describe('a sample event with fields of its own', () => {
  const sample = (type: MessageEventType | ExtraEventType, fields: SampleFields) =>
    sampleEvent(type, { ...CONTEXT, fields });

  it('says what it is told to, wherever that is repeated', () => {
    expect(sample('text', { body: 'Hi' })).to.include({ body: 'Hi' });
    expect(sample('image', { body: 'Look' })).to.nested.include({ body: 'Look', 'media.caption': 'Look' });
    expect(sample('edit', { body: 'Hi!' })).to.nested.include({ body: 'Hi!', 'edit.body': 'Hi!' });
    expect(sample('reaction', { body: '🎉' })).to.nested.include({ body: '🎉', 'reaction.emoji': '🎉' });
    expect(sample('poll_creation', { body: 'When?' })).to.nested.include({ 'poll.name': 'When?' });
  });

  it('comes from whom it is told to', () => {
    const fields = { remoteName: 'Ada', remotePhone: '+15550000009', pushName: 'ada', messageId: '3EB0AA' };
    expect(sample('sticker', fields)).to.include(fields);
  });

  it('refuses what an event of its type does not have', () => {
    const refusal = (type: MessageEventType | ExtraEventType, fields: SampleFields) => {
      try {
        sample(type, fields);
      } catch (error) {
        return isGatewayError(error, 'invalid_request') ? error.message : String(error);
      }
      return 'none';
    };
    expect(refusal('sticker', { body: 'Hi' }))
      .to.contain('sticker')
      .and.contain('body');
    expect(refusal('session_status', { pushName: 'Ada' }))
      .to.contain('session_status')
      .and.contain('pushName');
  });
});
