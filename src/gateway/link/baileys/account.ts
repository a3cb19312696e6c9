import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  S_WHATSAPP_NET,
  type WASocket,
} from '@whiskeysockets/baileys';
import { formatJid, type Person, parseJid, personOf } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import { parseObject } from '../../../domain/json.js';
import type { LinkAccount, OwnProfile, StatusPrivacy } from '../account.js';
import type { AppState } from './app-state.js';
import { textOf, usyncQuery } from './people.js';
import { lookupFailed, refusalCode } from './reasons.js';
import { askStatusPrivacy } from './status-privacy.js';

/** Parts of the query about the own profile; `text_status` is the text that current clients show. */
const PROTOCOLS: BinaryNode[] = ['status', 'text_status', 'picture', 'disappearing_mode'].map((tag) => ({
  tag,
  attrs: {},
}));
/** Id of the stored query that sets the text of the profile. */
const UPDATE_TEXT_STATUS = '9152604461510864';
/** Code for a value that the network does not accept, such as a picture (whatsmeow, `SetGroupPhoto`). */
const NOT_ACCEPTABLE = 406;

/** The own profile and the block list, over one connection. */
export class Account implements LinkAccount {
  readonly #sock: WASocket;
  readonly #appState: Pick<AppState, 'rename' | 'setStatusPrivacy'>;

  constructor(sock: WASocket, appState: Pick<AppState, 'rename' | 'setStatusPrivacy'>) {
    this.#sock = sock;
    this.#appState = appState;
  }

  async profile(): Promise<OwnProfile> {
    const { me } = this.#sock.authState.creds;
    const address = parseJid(me?.lid) ?? parseJid(me?.id);
    if (!address) throw lookupFailed(new Error('the own address is not known'));
    const question = usyncQuery(this.#sock, formatJid(address), PROTOCOLS);
    const answer: BinaryNode = await this.#sock.query(question).catch((error: unknown) => {
      throw lookupFailed(error);
    });
    const list = getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list');
    const part = (tag: string) => getBinaryNodeChild(getBinaryNodeChild(list, 'user'), tag);
    return {
      name: me?.name ?? '',
      about: part('text_status')?.attrs.text || textOf(part('status')),
      pictureId: part('picture')?.attrs.id ?? '',
      disappearingSeconds: Number(part('disappearing_mode')?.attrs.duration) || 0,
    };
  }

  async setName(name: string): Promise<void> {
    await this.#appState.rename(name);
    const { creds } = this.#sock.authState;
    // the library tells the network the new name, and the credentials are saved
    if (creds.me) this.#sock.ev.emit('creds.update', { me: { ...creds.me, name } });
  }

  /**
   * Current clients show the text that a stored query sets; the library's own one sets the text that older clients show
   * (Baileys PR #2798, whatsmeow `SetStatusMessage`).
   */
  async setAbout(about: string): Promise<void> {
    await changed(accepted(this.#setTextStatus(about)));
    await changed(accepted(this.#sock.updateProfileStatus(about)));
  }

  setPicture(jpeg: Uint8Array | undefined): Promise<void> {
    return changed(
      setPicture(this.#sock, jpeg).catch((error: unknown) => {
        if (refusalCode(error) !== NOT_ACCEPTABLE) throw error;
        const text = 'The network does not accept the picture.';
        throw new GatewayError('media_unsupported', text, { cause: error });
      }),
    );
  }

  setDisappearing(seconds: number): Promise<void> {
    return changed(this.#sock.updateDefaultDisappearingMode(seconds));
  }

  statusPrivacy(): Promise<StatusPrivacy> {
    return askStatusPrivacy(this.#sock);
  }

  setStatusPrivacy({ mode, people }: StatusPrivacy): Promise<void> {
    const jids = people.flatMap(({ lid, pn }) => {
      if (lid) return [formatJid({ kind: 'lid', user: lid })];
      return pn ? [formatJid({ kind: 'pn', user: pn })] : [];
    });
    return this.#appState.setStatusPrivacy(mode, jids);
  }

  async blocked(): Promise<Person[]> {
    const attrs = { xmlns: 'blocklist', to: S_WHATSAPP_NET, type: 'get' };
    const answer: BinaryNode = await this.#sock.query({ tag: 'iq', attrs }).catch((error: unknown) => {
      throw lookupFailed(error);
    });
    const list = getBinaryNodeChild(answer, 'list');
    return getBinaryNodeChildren(list, 'item').map(({ attrs }) => personOf(attrs.jid, attrs.pn_jid));
  }

  /**
   * The LID names the person. A block must also contain the number, or say that it is unknown, otherwise the network
   * refuses it (zapo, `builders/privacy.ts`). The library's own function demands both addresses.
   */
  async setBlocked({ lid, pn }: Person, isBlocked: boolean): Promise<void> {
    const number = pn && formatJid({ kind: 'pn', user: pn });
    const jid = lid ? formatJid({ kind: 'lid', user: lid }) : number;
    const item = {
      action: isBlocked ? 'block' : 'unblock',
      ...(jid && { jid }),
      ...(isBlocked && lid && (number ? { pn_jid: number } : { unknown_identifier: 'true' })),
    };
    const attrs = { xmlns: 'blocklist', to: S_WHATSAPP_NET, type: 'set' };
    await changed(this.#sock.query({ tag: 'iq', attrs, content: [{ tag: 'item', attrs: item }] }));
  }

  async #setTextStatus(text: string): Promise<void> {
    const variables = { input: { text: text || null, ephemeral_duration_sec: 0 } };
    const content = Buffer.from(JSON.stringify({ variables }));
    const answer: BinaryNode = await this.#sock.query({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:mex' },
      content: [{ tag: 'query', attrs: { query_id: UPDATE_TEXT_STATUS }, content }],
    });
    const result = parseObject(textOf(getBinaryNodeChild(answer, 'result')));
    if (result && !result.errors) return;
    throw new GatewayError('account_rejected', 'The network refused the text. Try again.');
  }
}

/**
 * Sets the picture of a group, or the own one if no group is given; removes it if no bytes are given. The library's own
 * function would decode the picture in this process.
 */
export async function setPicture(
  { query }: Pick<WASocket, 'query'>,
  jpeg: Uint8Array | undefined,
  group?: string,
): Promise<void> {
  await query({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'w:profile:picture', ...(group && { target: group }) },
    ...(jpeg && { content: [{ tag: 'picture', attrs: { type: 'image' }, content: jpeg }] }),
  });
}

/** Waits for the change of a text. @throws GatewayError invalid_request if the network does not accept it */
async function accepted(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (refusalCode(error) !== NOT_ACCEPTABLE) throw error;
    const message = 'about: WhatsApp does not accept this text (406)';
    throw new GatewayError('invalid_request', message, { cause: error });
  }
}

/** Waits for a change. @throws the GatewayError of the change, or `account_rejected` for any other error */
async function changed(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const code = refusalCode(error);
    const why =
      code === undefined
        ? 'did not answer, so the change may have been made'
        : `refused the change (${code})`;
    throw new GatewayError('account_rejected', `The network ${why}. Try again.`, { cause: error });
  }
}
