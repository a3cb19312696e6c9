import { unlink } from '../routing/devices.js';
import { asker, EMPTY, type IqAnswer, IqError, type IqNamespace, type IqRequest } from './iq.js';

/** Linked devices: pairing by code, and a device that removes itself. */
export const md: IqNamespace = {
  xmlns: 'md',
  isOpen: true,
  answer(request) {
    const { tag, attrs } = request.body ?? { tag: '', attrs: {} };
    if (tag === 'link_code_companion_reg') return linkByCode(request);
    if (tag === 'remove-companion-device') return removeDevice(request, attrs.jid);
    throw new IqError(400, 'bad-request');
  },
};

function linkByCode({ network, connection, body, afterAnswer }: IqRequest): IqAnswer {
  const { codes } = network.pairing;
  if (body?.attrs.stage === 'companion_hello') return { content: [codes.hello(connection, body)] };
  if (body?.attrs.stage !== 'companion_finish') throw new IqError(400, 'bad-request');
  codes.finish(connection, body, afterAnswer);
  return EMPTY;
}

/** A device may remove itself, or another one of its account. */
function removeDevice(request: IqRequest, jid: string | undefined): IqAnswer {
  const { account } = asker(request);
  const device = request.network.registry.device(jid);
  if (device?.account !== account || !device.companion) throw new IqError(404, 'item-not-found');
  const { companion } = device;
  request.afterAnswer(() => unlink(request.network, companion));
  return EMPTY;
}
