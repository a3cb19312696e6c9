import Joi, { type CustomValidator } from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { envelopeFields } from '../../../kinds/envelope.js';
import type { FilePayload } from '../../../services/services.js';
import { httpUrl } from '../../schemas.js';

/** Signed addresses are long. */
const DOWNLOAD_URL_LENGTH = 8_192;
const NAME_LENGTH = 1_024;
const TYPE_LENGTH = 255;
/** A field of a form that the caller left empty is not there. */
const REQUIRED_PARTS: ReadonlySet<string> = new Set(['clientId', 'to']);

const caption = Joi.string().allow('').max(LIMITS.textLength).default('').example('Our new menu');

/** A file by its address, as it is asked for in JSON. */
export interface MediaBody extends Omit<FilePayload, 'asVoice'> {
  downloadUrl: string;
  sendAudioAsVoice: boolean;
}

export const mediaBody = Joi.object<MediaBody>({
  ...envelopeFields,
  downloadUrl: httpUrl(DOWNLOAD_URL_LENGTH)
    .required()
    .description('A public https address')
    .example('https://example.com/menu.pdf'),
  mimeType: Joi.string()
    .allow('')
    .max(TYPE_LENGTH)
    .pattern(/^[\w.+-]+\/[\w.+-]+( *;.*)?$/)
    .messages({ 'string.pattern.base': '{#label} must be a MIME type such as image/png' })
    .default('')
    .description('Overrides what the file is found to be')
    .example('application/pdf'),
  caption,
  fileName: Joi.string().allow('').max(NAME_LENGTH).default('').example('menu.pdf'),
  sendAudioAsVoice: Joi.boolean().default(false).description('As a voice note; OGG/Opus'),
  asSticker: Joi.boolean().default(false).description('As a sticker; a picture that is no WebP is converted'),
});

/** The parts of a form beside its file. */
export interface MediaParts extends Pick<FilePayload, 'clientId' | 'to' | 'caption' | 'quotedMessageId'> {
  sendAudioAsVoice: 'true' | 'false';
  asSticker: 'true' | 'false';
  mentions?: string[];
  metaData?: Record<string, unknown>;
}

const flag = Joi.string().valid('true', 'false').default('false');

const parts = {
  clientId: envelopeFields.clientId,
  to: envelopeFields.to,
  caption,
  sendAudioAsVoice: flag,
  asSticker: flag,
  quotedMessageId: envelopeFields.quotedMessageId,
  mentions: Joi.string()
    .custom(read(envelopeFields.mentions, 'LID or phone digits, separated by commas', splitList))
    .description('Separated by commas')
    .example('90000000000002,90000000000003'),
  metaData: Joi.string()
    .custom(read(envelopeFields.metaData, 'a JSON object', parseJson))
    .description('A JSON object')
    .example('{"fromAI":true}'),
};

export const mediaParts = Joi.object<MediaParts>(parts);

/** The whole form, for the documentation. */
export const mediaForm = Joi.object({ file: Joi.binary().required(), ...parts });

/** The parts that the caller filled in. */
export function filledParts(fields: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...fields].filter(([name, text]) => text !== '' || REQUIRED_PARTS.has(name)));
}

/** Takes a text for what it stands for, and validates that. @param rule what a wrong one is told it must be */
function read(schema: Joi.Schema, rule: string, parse: (text: string) => unknown): CustomValidator {
  return (text, helpers) => {
    const { value, error } = schema.validate(parse(text), { convert: false });
    return error ? helpers.message({ custom: `{#label} must be ${rule}` }) : value;
  };
}

function splitList(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

/** What is no JSON stays a text, and is refused as one. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
