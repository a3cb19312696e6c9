import { blockListElement, changeBlock } from '../../people/blocks.js';
import { changePrivacy, denyListElement, privacyElement, setDisappearing } from '../../people/privacy.js';
import { issueToken, tokenElement, tokenOf } from '../../people/tokens.js';
import { IqError, NOT_PLAYED } from '../../wire/refusals.js';
import { child, childrenOf, stanza } from '../../wire/stanza.js';
import { asker, asks, EMPTY, type IqAnswer, type IqNamespace, type IqRequest } from './iq.js';

/** Privacy settings with their deny lists, and the trusted-contact tokens that a client gives to others. */
export const privacy: IqNamespace = {
  xmlns: 'privacy',
  answer(request) {
    if (asks(request, 'set', 'tokens')) return issueTokens(request);
    if (asks(request, 'set', 'privacy')) return change(request);
    if (!asks(request, 'get', 'privacy')) throw NOT_PLAYED;
    const { account } = asker(request);
    const list = child(request.body, 'list');
    if (list) return { content: [denyListElement(request.network, account, list.attrs.name ?? '')] };
    return { content: [privacyElement(account)] };
  },
};

function issueTokens(request: IqRequest): IqAnswer {
  const { network, body } = request;
  const { account } = asker(request);
  const tokens = childrenOf(body).flatMap(({ attrs }) => {
    const holder = network.directory.byJid(attrs.jid);
    if (!holder) return [];
    issueToken(network, account, holder, Number(attrs.t) || undefined);
    return tokenElement(attrs.jid, tokenOf(holder, account)) ?? [];
  });
  // the tokens that these people gave, for a client that missed them (Baileys PR #2339)
  return { content: [stanza('tokens', {}, tokens)] };
}

function change(request: IqRequest): IqAnswer {
  const { network } = request;
  const companion = asker(request);
  const answers = childrenOf(request.body).map((category) => {
    const { name = '', value = '', dhash: version } = category.attrs;
    const people = childrenOf(category).map(({ attrs: { jid, action } }) => ({
      person: network.directory.byJid(jid),
      action,
    }));
    return changePrivacy(network, companion.account, { name, value, version, people }, companion);
  });
  return { content: [stanza('privacy', {}, answers.flatMap(childrenOf))] };
}

/** The list of the people that an account has blocked. */
export const blocklist: IqNamespace = {
  xmlns: 'blocklist',
  answer(request) {
    const { network, iq, body } = request;
    const companion = asker(request);
    if (iq.attrs.type === 'set') {
      if (body?.tag !== 'item') throw new IqError(400, 'bad-request');
      const { jid, action, pn_jid, username, display_name, unknown_identifier } = body.attrs;
      const identifier = pn_jid ?? username ?? display_name ?? unknown_identifier;
      changeBlock(network, companion, { jid, action, identifier });
    }
    return { content: [blockListElement(network, companion.account)] };
  },
};

/** The expiry of the messages in new chats. */
export const disappearingMode: IqNamespace = {
  xmlns: 'disappearing_mode',
  answer(request) {
    if (!asks(request, 'set', 'disappearing_mode')) throw NOT_PLAYED;
    const companion = asker(request);
    const duration = Number(request.body?.attrs.duration);
    if (!Number.isSafeInteger(duration) || duration < 0) throw new IqError(400, 'bad-request');
    setDisappearing(request.network, companion.account, duration, companion);
    return EMPTY;
  },
};
