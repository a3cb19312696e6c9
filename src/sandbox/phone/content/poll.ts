import Joi from 'joi';
import type { PhoneContent } from './content.js';

const MIN_OPTIONS = 2;
const MAX_OPTIONS = 12;
const MAX_CHARS = 255;

/** A question with options. */
export const poll: PhoneContent = {
  write: {
    key: 'poll',
    schema: Joi.object({
      name: Joi.string().max(MAX_CHARS).required(),
      options: Joi.array()
        .items(Joi.string().max(MAX_CHARS))
        .min(MIN_OPTIONS)
        .max(MAX_OPTIONS)
        .unique()
        .required(),
      selectableCount: Joi.number().integer().min(0).max(MAX_OPTIONS),
    }),
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
