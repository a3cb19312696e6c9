import { expect } from 'chai';
import Joi from 'joi';
import { readContent } from '../../src/kinds/index.js';
import type { Content } from '../../src/kinds/kind.js';
import { pollCreation } from '../../src/kinds/poll-creation.js';
import { CONTEXT, overTheWire } from './support/wire.js';

async function sent(selectableCount?: number): Promise<Content> {
  const asked = { clientId: 'acme', to: '+15550000002', pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup'] };
  const { send } = pollCreation;
  const payload = send && Joi.attempt({ ...asked, selectableCount }, send.payload);
  if (!payload) throw new Error('polls cannot be sent');
  return overTheWire(send.compose(payload, CONTEXT));
}

describe('a poll', () => {
  it('allows one choice unless said otherwise, in the field that phones keep such polls in', async () => {
    expect((await sent()).pollCreationMessageV3?.selectableOptionsCount).to.equal(1);
    expect((await sent(1)).pollCreationMessageV3?.selectableOptionsCount).to.equal(1);
    expect((await sent(2)).pollCreationMessage?.selectableOptionsCount).to.equal(2);
  });

  it('has a secret of its own, that votes are encrypted with', async () => {
    const secrets = await Promise.all([sent(), sent()]).then((polls) =>
      polls.map(({ messageContextInfo }) =>
        Buffer.from(messageContextInfo?.messageSecret ?? []).toString('hex'),
      ),
    );
    expect(secrets[0]).to.match(/^[0-9a-f]{64}$/);
    expect(secrets[0]).to.not.equal(secrets[1]);
  });

  it('does not allow more choices than there are, and says so', () => {
    const asked = { clientId: 'acme', to: '1'.repeat(9), pollName: '?', pollOptions: ['a', 'b'] };
    const { error } = pollCreation.send?.payload.validate({ ...asked, selectableCount: 3 }) ?? {};
    expect(error?.message).to.contain('must not be more than the number of pollOptions');
  });

  it('reads alike in every version', () => {
    const poll = { name: 'Lunch?', options: [{ optionName: 'Pizza' }, { optionName: 'Soup' }] };
    const one = { ...poll, selectableOptionsCount: 1 };
    const versions: Content[] = [
      { pollCreationMessage: one },
      { pollCreationMessageV2: one },
      { pollCreationMessageV3: one },
      { pollCreationMessageV4: { message: { pollCreationMessage: one } } },
      { pollCreationMessageV5: one },
      { ephemeralMessage: { message: { pollCreationMessageV3: one } } },
    ];
    for (const content of versions) {
      const { kind, reading } = readContent(content);
      expect(reading).to.deep.equal({
        type: 'poll_creation',
        body: 'Lunch?',
        extra: { poll: { name: 'Lunch?', options: ['Pizza', 'Soup'], selectableCount: 1 } },
      });
      expect(kind?.storedType).to.equal('poll');
    }
  });

  it('without a bound lets one choose all', () => {
    const options = [{ optionName: 'Pizza' }, { optionName: 'Soup' }];
    for (const bound of [{}, { selectableOptionsCount: 0 }]) {
      const { reading } = readContent({ pollCreationMessage: { name: 'Lunch?', options, ...bound } });
      expect(reading.extra?.poll?.selectableCount).to.equal(2);
    }
  });
});
