import { isPasskeyStep } from '../../pairing/passkeys.js';
import { unlink } from '../../routing/devices.js';
import { IqError, NOT_PLAYED } from '../../wire/refusals.js';
import { childrenOf, stanza } from '../../wire/stanza.js';
import { startDelivery } from '../login.js';
import { asker, asks, EMPTY, type IqAnswer, type IqNamespace, type IqRequest } from './iq.js';

/** Seconds after which a client may ask for the terms again. */
const TERMS_REFRESH_S = 86_400;

/** `active`: a device that logged in as passive is ready. */
export const passive: IqNamespace = {
  xmlns: 'passive',
  answer(request) {
    const companion = asker(request);
    const { connection, phones, network } = request;
    if (!asks(request, 'set', 'active')) throw NOT_PLAYED;
    return {
      after() {
        startDelivery(connection, companion, network);
        if (!companion.record.isGreeted) phones.of(companion.account).greet(companion);
      },
    };
  },
};

/** Linked devices: pairing by code, and a device that removes itself. */
export const md: IqNamespace = {
  xmlns: 'md',
  isOpen: true,
  answer(request) {
    const { tag, attrs } = request.body ?? { tag: '', attrs: {} };
    if (tag === 'link_code_companion_reg') return linkByCode(request);
    if (isPasskeyStep(tag)) return passkeyStep(request);
    if (tag === 'remove-companion-device') return removeDevice(request, attrs.jid);
    throw NOT_PLAYED;
  },
};

function linkByCode({ network, pairing, connection, body }: IqRequest): IqAnswer {
  const { codes } = pairing;
  const { faults, directory } = network;
  if (body?.attrs.stage === 'companion_hello') {
    if (faults.cutPairing(connection, 'companion-hello', directory.byJid(body.attrs.jid))) return 'silence';
    return { content: [codes.hello(connection, body, pairing.isReady(connection))] };
  }
  if (body?.attrs.stage !== 'companion_finish') throw new IqError(400, 'bad-request');
  if (faults.cutPairing(connection, 'companion-finish', directory.byJid(body.attrs.jid))) return 'silence';
  return { after: codes.finish(connection, body) };
}

function passkeyStep({ pairing, connection, body }: IqRequest): IqAnswer {
  if (!body) throw new IqError(400, 'bad-request');
  return pairing.passkeys.answer(connection, body) ?? 'silence';
}

/** A device may remove itself, or another one of its account. */
function removeDevice(request: IqRequest, jid: string | undefined): IqAnswer {
  const asking = asker(request);
  const device = request.network.directory.device(jid);
  if (device?.account !== asking.account || !device.companion) throw new IqError(404, 'item-not-found');
  const { companion } = device;
  return { after: () => unlink(request.network, companion, { isOwnWish: companion === asking }) };
}

/** Keep-alive. */
export const ping: IqNamespace = { xmlns: 'w:p', isOpen: true, answer: () => EMPTY };

/** A/B tests: none is active. */
export const abt: IqNamespace = {
  xmlns: 'abt',
  answer(request) {
    if (!asks(request, 'get', 'props')) throw NOT_PLAYED;
    return { content: [stanza('props', { hash: 'sandbox' })] };
  },
};

/** Notices of WhatsApp's terms, such as those of channels: a client asks which the account has accepted, and accepts others. */
export const terms: IqNamespace = {
  xmlns: 'tos',
  answer(request) {
    const { iq, body } = request;
    const { account } = asker(request);
    const accepted = new Set(account.record.acceptedNotices);
    // whatsmeow names a single notice without the request around it
    const notices = body?.tag === 'request' ? childrenOf(body) : body ? [body] : [];
    const ids = notices.flatMap(({ tag, attrs: { id } }) => (tag === 'notice' && id ? [id] : []));
    if (ids.length === 0) throw new IqError(400, 'bad-request');
    if (iq.attrs.type === 'set') {
      account.record.acceptedNotices = [...new Set([...accepted, ...ids])];
      account.keep();
      return EMPTY;
    }
    const states = ids.map((id) => stanza('notice', { id, state: String(accepted.has(id)) }));
    return { content: [stanza('tos', { refresh: String(TERMS_REFRESH_S) }, states)] };
  },
};

/** Telemetry, and the note that a client has read what had changed: the network answers both with an empty result. */
export const reports: IqNamespace[] = [
  { xmlns: 'w:stats', answer: () => EMPTY },
  {
    xmlns: 'urn:xmpp:whatsapp:dirty',
    answer(request) {
      if (!asks(request, 'set', 'clean')) throw NOT_PLAYED;
      return EMPTY;
    },
  },
];
