import { createHash } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { jidIn } from '../../state/directory.js';
import { Refusal } from '../../wire/refusals.js';
import { openSealed, type Sealed, seal, secretOf } from '../message-secret.js';
import type { PhoneMessage } from '../phone-messages.js';
import { keyOf, requireTarget } from '../targets.js';
import type { PhoneContent, Reading, Writing } from './content.js';

/** A question with options. */
export const poll: PhoneContent = {
  write: {
    key: 'poll',
    compose({ poll: asked }, { contextInfo }) {
      if (!asked) return undefined;
      const { name, options, selectableCount = 1 } = asked;
      const creation = {
        name,
        options: options.map((optionName) => ({ optionName })),
        selectableOptionsCount: selectableCount,
        ...(contextInfo && { contextInfo }),
      };
      return {
        // phones use another field where one option may be chosen
        message:
          selectableCount === 1 ? { pollCreationMessageV3: creation } : { pollCreationMessage: creation },
        shape: { type: 'poll', extras: [{ tag: 'meta', attrs: { polltype: 'creation' } }] },
      };
    },
  },
  read({ pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3 }) {
    const creation = pollCreationMessage ?? pollCreationMessageV2 ?? pollCreationMessageV3;
    if (!creation) return undefined;
    const name = creation.name ?? '';
    const options = (creation.options ?? []).map(({ optionName }) => optionName ?? '');
    const selectableCount = creation.selectableOptionsCount ?? 0;
    return { type: 'poll', text: name, poll: { name, options, selectableCount, votes: {} } };
  },
};

const USE_CASE = 'Poll Vote';

/** A vote in a poll, encrypted with the poll's secret: the network cannot read it. */
export const vote: PhoneContent = {
  write: {
    key: 'vote',
    compose({ vote: cast }, writing) {
      if (!cast) return undefined;
      const target = requireTarget(writing, cast.pollMessageId);
      checkOptions(target, cast.options);
      const pollUpdateMessage = {
        pollCreationMessageKey: keyOf(writing.network, target),
        vote: sealVote(writing, target, cast.options),
        senderTimestampMs: writing.network.clock.now(),
      };
      return { message: { pollUpdateMessage }, shape: { type: 'poll', enc: { 'decrypt-fail': 'hide' } } };
    },
  },
  change({ pollUpdateMessage }, reading) {
    const targetId = pollUpdateMessage?.pollCreationMessageKey?.id;
    if (!targetId) return undefined;
    return {
      type: 'vote',
      targetId,
      apply(target) {
        const options = openVote(reading, target, pollUpdateMessage.vote);
        if (!options || !target.poll) return undefined;
        const { [reading.author.number]: _, ...others } = target.poll.votes;
        const votes = options.length > 0 ? { ...others, [reading.author.number]: options } : others;
        target.poll = { ...target.poll, votes };
        return { options };
      },
    };
  },
};

function checkOptions({ messageId, poll }: PhoneMessage, options: string[]): void {
  if (!poll) throw new Refusal('vote_invalid', `"vote.pollMessageId": ${messageId} is no poll`);
  const unknown = options.find((option) => !poll.options.includes(option));
  if (unknown !== undefined)
    throw new Refusal('vote_invalid', `"vote.options": the poll has no option ${unknown}`);
  if (poll.selectableCount > 0 && options.length > poll.selectableCount)
    throw new Refusal('vote_invalid', `"vote.options": the poll takes ${poll.selectableCount} at most`);
}

function sealVote({ network, author, partner }: Writing, target: PhoneMessage, options: string[]): Sealed {
  const secret = secretOf(target);
  if (!secret) throw new Refusal('vote_invalid', `the poll ${target.messageId} came without its secret`);
  const mode = network.addressing;
  const voter = jidIn(partner, author, mode);
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions: options.map(sha256) }).finish();
  return seal(plain, {
    secret,
    targetId: target.messageId,
    targetAuthor: jidIn(partner, network.directory.require(target.from), mode),
    sender: voter,
    useCase: USE_CASE,
    authenticated: `${target.messageId}\0${voter}`,
  });
}

/** Tries both addresses of voter and poll author; undefined when none decrypts the vote. */
function openVote(
  { network, author }: Reading,
  target: PhoneMessage,
  sealed: proto.Message.IPollEncValue | null | undefined,
): string[] | undefined {
  const secret = secretOf(target);
  const creator = network.directory.byNumber(target.from);
  if (!secret || !creator) return undefined;
  for (const voter of [author.jid('lid'), author.jid('pn')]) {
    for (const targetAuthor of [creator.jid('lid'), creator.jid('pn')]) {
      const plain = openSealed(sealed, {
        secret,
        targetId: target.messageId,
        targetAuthor,
        sender: voter,
        useCase: USE_CASE,
        authenticated: `${target.messageId}\0${voter}`,
      });
      if (plain) return namesOf(target, proto.Message.PollVoteMessage.decode(plain));
    }
  }
  return undefined;
}

function namesOf(target: PhoneMessage, { selectedOptions }: proto.Message.PollVoteMessage): string[] {
  return selectedOptions.map((hash) => {
    const hex = Buffer.from(hash).toString('hex');
    return target.poll?.options.find((option) => sha256(option).toString('hex') === hex) ?? hex;
  });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
