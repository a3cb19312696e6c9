import { proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import { quote } from '../context-info.js';
import { requireTarget } from '../targets.js';
import type { PhoneContent } from './content.js';

const MAX_CHARS = 1_000;

/** Somebody chooses a row of a list. */
export const listReply: PhoneContent = {
  write: {
    key: 'listReply',
    schema: Joi.object({
      messageId: Joi.string().required(),
      id: Joi.string().max(MAX_CHARS).required(),
      title: Joi.string().max(MAX_CHARS).required(),
    }),
    compose({ listReply: choice }, writing) {
      if (!choice) return undefined;
      const { messageId, id, title } = choice;
      requireTarget(writing, messageId);
      const listResponseMessage = {
        title,
        listType: proto.Message.ListResponseMessage.ListType.SINGLE_SELECT,
        singleSelectReply: { selectedRowId: id },
        contextInfo: { ...writing.contextInfo, ...quote(writing.network, writing.phone, messageId) },
      };
      return {
        message: { listResponseMessage },
        shape: { type: 'media', enc: { mediatype: 'list_response' } },
      };
    },
  },
  read({ listResponseMessage }) {
    if (!listResponseMessage) return undefined;
    const { title, singleSelectReply, contextInfo } = listResponseMessage;
    const listReply = {
      messageId: contextInfo?.stanzaId ?? '',
      id: singleSelectReply?.selectedRowId ?? '',
      title: title ?? '',
    };
    return { type: 'listReply', text: listReply.title, listReply };
  },
};
