import Joi from 'joi';
import { LIMITS } from '../../domain/limits.js';
import { characters, envelopeFields, shownText, textField } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

export interface Section {
  title?: string;
  rows: { id: string; title: string; description?: string }[];
}

export interface ListPayload extends SendPayload {
  title?: string;
  bodyText: string;
  footerText?: string;
  buttonText: string;
  sections: Section[];
}

const row = Joi.object({
  id: Joi.string().max(LIMITS.buttonIdLength).required(),
  title: shownText(LIMITS.listRowTitleLength).required(),
  description: characters(LIMITS.listRowDescriptionLength).allow(''),
});
const section = Joi.object<Section>({
  title: shownText(LIMITS.listRowTitleLength),
  rows: Joi.array().items(row).min(1).required(),
});

/** The rules that are about all sections together. */
const sectionsField = Joi.array<Section[]>()
  .items(section)
  .min(1)
  .max(LIMITS.listSectionsMax)
  .custom((sections: Section[], helpers) => {
    const ids = sections.flatMap(({ rows }) => rows.map(({ id }) => id));
    if (ids.length > LIMITS.listRowsMax) return helpers.error('list.rows');
    if (new Set(ids).size < ids.length) return helpers.error('list.ids');
    return sections.length > 1 && sections.some(({ title }) => !title)
      ? helpers.error('list.titles')
      : sections;
  })
  .messages({
    'list.rows': `{#label} must have ${LIMITS.listRowsMax} rows at most, in all sections together`,
    'list.ids': '{#label} must not use an id twice',
    'list.titles': '{#label} must have a title each, because there are several',
  });

export const listSend: SendRequest<ListPayload> = {
  path: '/send-list-message',
  description: 'Send a list of rows, from which the recipient chooses one',
  payload: Joi.object<ListPayload>({
    ...envelopeFields,
    title: characters(LIMITS.listTitleLength).allow('').example('Lunch'),
    bodyText: textField.required().example('What would you like?'),
    footerText: characters(LIMITS.footerLength).allow('').example('Until eleven'),
    buttonText: shownText(LIMITS.listButtonLength).required().example('The menu'),
    sections: sectionsField.required().example([
      {
        title: 'Warm',
        rows: [
          { id: 'pizza', title: 'Pizza', description: 'With mushrooms' },
          { id: 'soup', title: 'Soup' },
        ],
      },
      { title: 'Cold', rows: [{ id: 'salad', title: 'Salad' }] },
    ]),
  }),
};
