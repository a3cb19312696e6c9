import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  S_WHATSAPP_NET,
  type WASocket,
} from '@whiskeysockets/baileys';
import { personOf } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import type { StatusPrivacyMode } from '../../../domain/status-audience.js';
import type { StatusPrivacy } from '../account.js';
import { lookupFailed, refusalCode } from './reasons.js';

const NOT_FOUND = 404;
/** The network's names of the lists (whatsmeow `types/user.go`). */
const MODES: ReadonlyMap<string | undefined, StatusPrivacyMode> = new Map([
  ['contacts', 'contacts'],
  ['blacklist', 'except'],
  ['whitelist', 'only'],
] as const);

/**
 * Asks the network who may see the statuses of the account.
 * @throws GatewayError `lookup_failed`, also for a setting that this release does not know: a guess could show statuses to
 * people who must not see them
 */
export async function askStatusPrivacy({ query }: Pick<WASocket, 'query'>): Promise<StatusPrivacy> {
  const attrs = { xmlns: 'status', to: S_WHATSAPP_NET, type: 'get' };
  const content = [{ tag: 'privacy', attrs: {} }];
  const answer: BinaryNode | undefined = await query({ tag: 'iq', attrs, content }).catch(
    (error: unknown) => {
      // an account that has never set it (whatsmeow `GetStatusPrivacy`)
      if (refusalCode(error) === NOT_FOUND) return undefined;
      throw lookupFailed(error);
    },
  );
  if (!answer) return { mode: 'contacts', people: [] };
  const lists = getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'list');
  const list = lists.find((one) => one.attrs.default === 'true') ?? lists[0];
  const type = list?.attrs.type;
  const mode = MODES.get(type);
  if (!mode) {
    const setting = type === undefined ? 'named no setting' : `named the setting ${type}`;
    const message = `The network ${setting} of who may see the statuses, which the gateway cannot read.`;
    throw new GatewayError('lookup_failed', message);
  }
  const users = mode === 'contacts' ? [] : getBinaryNodeChildren(list, 'user');
  return { mode, people: users.map(({ attrs: { jid, pn_jid } }) => personOf(jid, pn_jid)) };
}
