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
  id: Joi.string()
    .max(LIMITS.buttonIdLength)
    .required()
    .description('Used once; the event of a choice names it'),
  title: shownText(LIMITS.listRowTitleLength).required(),
  description: characters(LIMITS.listRowDescriptionLength).allow(''),
});
const section = Joi.object<Section>({
  title: shownText(LIMITS.listRowTitleLength).description('Required if there are several sections'),
  rows: Joi.array()
    .items(row)
    .min(1)
    .required()
    .description(`${LIMITS.listRowsMax} at most, in all sections together`),
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
    title: characters(LIMITS.listTitleLength)
      .allow('')
      .description('A title above the text')
      .example('Lunch'),
    bodyText: textField.required().description('The text').example('What would you like?'),
    footerText: characters(LIMITS.footerLength)
      .allow('')
      .description('Small print below the text')
      .example('Until eleven'),
    buttonText: shownText(LIMITS.listButtonLength)
      .required()
      .description('The label of the button that opens the list')
      .example('The menu'),
    sections: sectionsField
      .required()
      .description('The rows, in sections')
      .example([
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
