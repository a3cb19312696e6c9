import Joi from 'joi';
import type { ListExtra } from '../../contract/events/extras.js';
import { type ListPayload, listSend, type Section } from '../../contract/sends/list.js';
import { parseObject } from '../../domain/json.js';
import { mentioning } from './context-info.js';
import { composeInteractive, linesOf, NATIVE_FLOW_VERSION } from './interactive.js';
import type { Content, Kind, KindSend } from './kind.js';

/** The native flow's name of a list from which one row is chosen. */
const SINGLE_SELECT = 'single_select';

/**
 * Composes a native flow with one `single_select` button, whose parameters hold the sections: the network refuses the older
 * `listMessage` of unofficial clients, as it refuses their buttons.
 */
const send: KindSend<ListPayload> = {
  ...listSend,
  compose({ title, bodyText, footerText, buttonText, sections }, { mentionedJids }) {
    const params = { title: buttonText, sections: sections.map(composeSection) };
    const button = { name: SINGLE_SELECT, buttonParamsJson: JSON.stringify(params) };
    return composeInteractive({
      ...(title && { header: { title, hasMediaAttachment: false } }),
      body: { text: bodyText },
      ...(footerText && { footer: { text: footerText } }),
      nativeFlowMessage: { buttons: [button], messageVersion: NATIVE_FLOW_VERSION },
      ...mentioning(mentionedJids),
    });
  },
};

function composeSection({ title = '', rows }: Section) {
  return {
    title,
    rows: rows.map(({ id, title: name, description = '' }) => ({ id, title: name, description })),
  };
}

/** A list, in either form. The event has the type of a text, with the object `list`. */
export const list: Kind = {
  name: 'list',
  send,
  storedType: 'interactive',
  read(content) {
    const found = nativeList(content) ?? legacyList(content);
    return found && { type: 'text', body: linesOf(content) || found.buttonText, extra: { list: found } };
  },
};

function nativeList({ interactiveMessage }: Content): ListExtra | undefined {
  const button = interactiveMessage?.nativeFlowMessage?.buttons?.find(({ name }) => name === SINGLE_SELECT);
  if (!button) return undefined;
  // validate, because the sender can put anything into the parameters
  const { error, value } = PARAMS.validate(parseObject(button.buttonParamsJson ?? ''));
  return error ? undefined : withRows(value.title, value.sections);
}

const shown = Joi.string().allow('', null).empty(null).default('');
const PARAMS = Joi.object<{ title: string; sections: ListExtra['sections'] }, true>({
  title: shown,
  sections: Joi.array()
    .items(
      Joi.object({
        title: shown,
        rows: Joi.array()
          .items(Joi.object({ id: shown, title: shown, description: shown }))
          .default([]),
      }),
    )
    .default([]),
})
  .options({ stripUnknown: true })
  .required();

function legacyList({ listMessage }: Content): ListExtra | undefined {
  if (!listMessage) return undefined;
  const sections = (listMessage.sections ?? []).map(({ title, rows }) => ({
    title: title ?? '',
    rows: (rows ?? []).map((one) => ({
      id: one.rowId ?? '',
      title: one.title ?? '',
      description: one.description ?? '',
    })),
  }));
  return withRows(listMessage.buttonText ?? '', sections);
}

/** The object `list`; undefined for a list without rows, whose text says everything. */
function withRows(buttonText: string, sections: ListExtra['sections']): ListExtra | undefined {
  return sections.some(({ rows }) => rows.length > 0) ? { buttonText, sections } : undefined;
}
