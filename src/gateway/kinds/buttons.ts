import Joi from 'joi';
import type { ButtonExtra } from '../../contract/events/extras.js';
import { parseObject } from '../../domain/json.js';
import type { Content } from './kind.js';
import type { proto } from './protocol-types.js';

type Flow = proto.Message.IInteractiveMessage;
type NativeButton = proto.Message.InteractiveMessage.NativeFlowMessage.INativeFlowButton;

/** The buttons of a text, in any form that businesses use or used. Buttons without a label, or of other types, are left out. */
export function buttonsIn({ interactiveMessage, buttonsMessage, templateMessage }: Content): ButtonExtra[] {
  if (interactiveMessage) return ofFlow(interactiveMessage);
  if (buttonsMessage) {
    return (buttonsMessage.buttons ?? []).flatMap(({ buttonId, buttonText }) =>
      labelled({ type: 'quick_reply', displayText: buttonText?.displayText ?? '', id: buttonId ?? '' }),
    );
  }
  if (!templateMessage) return [];
  if (templateMessage.interactiveMessageTemplate) return ofFlow(templateMessage.interactiveMessageTemplate);
  const filled = templateMessage.hydratedTemplate ?? templateMessage.hydratedFourRowTemplate;
  return (filled?.hydratedButtons ?? []).flatMap(ofTemplate);
}

function ofFlow({ nativeFlowMessage, carouselMessage }: Flow): ButtonExtra[] {
  const cards = carouselMessage?.cards ?? [];
  return [...(nativeFlowMessage?.buttons ?? []).flatMap(ofNative), ...cards.flatMap(ofFlow)];
}

/** The sender can put anything into the parameters. */
function ofNative({ name, buttonParamsJson }: NativeButton): ButtonExtra[] {
  const { value, error } = PARAMS.validate(parseObject(buttonParamsJson ?? ''));
  if (error) return [];
  const { display_text: displayText, id, url, phone_number: phoneNumber, copy_code: copyCode } = value;
  switch (name) {
    case 'quick_reply':
      return labelled({ type: name, displayText, id });
    case 'cta_url':
      return labelled({ type: name, displayText, url });
    case 'cta_call':
      return labelled({ type: name, displayText, phoneNumber });
    case 'cta_copy':
      return labelled({ type: name, displayText, id, copyCode });
    default:
      return [];
  }
}

const shown = Joi.string().allow('', null).empty(null).default('');
interface Params {
  display_text: string;
  id: string;
  url: string;
  phone_number: string;
  copy_code: string;
}
const PARAMS = Joi.object<Params, true>({
  display_text: shown,
  id: shown,
  url: shown,
  phone_number: shown,
  copy_code: shown,
})
  .options({ stripUnknown: true })
  .required();

function ofTemplate({
  quickReplyButton,
  urlButton,
  callButton,
}: proto.IHydratedTemplateButton): ButtonExtra[] {
  if (quickReplyButton) {
    const { displayText, id } = quickReplyButton;
    return labelled({ type: 'quick_reply', displayText: displayText ?? '', id: id ?? '' });
  }
  if (urlButton)
    return labelled({
      type: 'cta_url',
      displayText: urlButton.displayText ?? '',
      url: urlButton.url ?? '',
    });
  if (!callButton) return [];
  const { displayText, phoneNumber } = callButton;
  return labelled({ type: 'cta_call', displayText: displayText ?? '', phoneNumber: phoneNumber ?? '' });
}

function labelled(button: ButtonExtra): ButtonExtra[] {
  return button.displayText.trim() ? [button] : [];
}
