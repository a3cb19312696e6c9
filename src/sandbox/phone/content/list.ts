import Joi from 'joi';
import type { ListView } from '../../../contract/sandbox/index.js';
import { parseObject } from '../../../domain/json.js';
import { isRenderedFlow } from './buttons.js';
import type { PhoneContent } from './content.js';

/** A native list: an interactive message with a `single_select` button. People cannot write these, businesses can. */
export const list: PhoneContent = {
  read({ interactiveMessage }, { extras }) {
    const buttons = interactiveMessage?.nativeFlowMessage?.buttons ?? [];
    const button = buttons.find(({ name }) => name === 'single_select');
    if (!interactiveMessage || !button) return undefined;
    const bodyText = interactiveMessage.body?.text ?? '';
    const { error, value } = PARAMS.validate(parseObject(button.buttonParamsJson ?? ''));
    return {
      type: 'list',
      text: bodyText,
      bodyText,
      footerText: interactiveMessage.footer?.text ?? '',
      ...(!error && {
        list: {
          title: interactiveMessage.header?.title ?? '',
          buttonText: value.title,
          sections: value.sections,
        },
      }),
      rendered: !error && isRenderedFlow(extras),
    };
  },
};

/** The parameters without which phones show no list (WhiskeySockets/Baileys pull request 2244). */
const PARAMS = Joi.object<{ title: string; sections: ListView['sections'] }, true>({
  title: Joi.string().required(),
  sections: Joi.array()
    .items(
      Joi.object({
        title: Joi.string().allow('').default(''),
        rows: Joi.array()
          .items(
            Joi.object({
              id: Joi.string().required(),
              title: Joi.string().required(),
              description: Joi.string().allow('').default(''),
            }).unknown(),
          )
          .min(1)
          .required(),
      }).unknown(),
    )
    .min(1)
    .required(),
})
  .unknown()
  .required();
