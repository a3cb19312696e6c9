import {
  type BinaryNode,
  encodeSignedDeviceIdentity,
  encodeWAMessage,
  extractE2ESessionFromRetryReceipt,
  getBinaryNodeChild,
  normalizeMessageContent,
  type proto,
  type WASocket,
} from '@whiskeysockets/baileys';
import { formatJid, parseJid, STATUS_JID } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { RateBudget } from '../../../domain/retry.js';
import type { StatusAudience } from '../../../domain/status-audience.js';
import type { Logger } from '../../log.js';
import { stanzaExtras } from './compose.js';
import { GROUP_RESENDS } from './resends.js';

/** Retries that are answered for one status and device, as official clients do (whatsapp-rust `MAX_RETRY_COUNT`). */
const MAX_RETRIES = 5;

/** An own message that is kept to be sent again. */
export interface SentContent {
  content: proto.IMessage;
  /** Who got it, for a status. */
  audience?: StatusAudience | undefined;
}

/**
 * Encrypts an own status again for a device that could not read it, with the sender key (whatsmeow `handleRetryReceipt`, zapo
 * `replay.ts`). The library would send the status as a private message.
 */
export class StatusResends {
  readonly #options;
  readonly #budget: RateBudget;

  constructor(options: {
    sock: WASocket;
    clock: Clock;
    log: Logger;
    findSent(messageId: string): Promise<SentContent | undefined>;
  }) {
    this.#options = options;
    this.#budget = new RateBudget(GROUP_RESENDS, options.clock);
  }

  /** Handles a `<receipt>`. @returns true if it asks for a status: the library must not answer it */
  takes(receipt: BinaryNode): boolean {
    const { type, from } = receipt.attrs;
    if (type !== 'retry' || from !== STATUS_JID) return false;
    const { sock, log } = this.#options;
    const answered = this.#budget.take() ? this.#answer(receipt) : Promise.resolve();
    answered
      .catch((err: unknown) => log.debug({ err }, 'a status was not sent again'))
      .then(() => sock.sendMessageAck(receipt))
      .catch((err: unknown) => log.debug({ err }, 'no ack sent'));
    return true;
  }

  async #answer(receipt: BinaryNode): Promise<void> {
    const { sock, findSent } = this.#options;
    const { id, participant } = receipt.attrs;
    const count = Number(getBinaryNodeChild(receipt, 'retry')?.attrs.count) || 1;
    if (!id || !participant || count > MAX_RETRIES) return;
    const { content, audience } = (await findSent(id)) ?? {};
    if (!content || !audience || !(await this.#hasGot(participant, audience))) return;
    const { keys, creds } = sock.authState;
    await keys.transaction(async () => {
      const bundle = extractE2ESessionFromRetryReceipt(receipt);
      if (bundle) await sock.signalRepository.injectE2ESession({ jid: participant, session: bundle });
      else await sock.assertSessions([participant], true);
      await sock.sendNode(await this.#copyFor(participant, id, content, count));
    }, creds.me?.id ?? '');
  }

  /** Refuses devices that did not get the status: those of other people than its audience and the own account. */
  async #hasGot(device: string, { people }: StatusAudience): Promise<boolean> {
    const { signalRepository, authState } = this.#options.sock;
    const { lidMapping } = signalRepository;
    const { me } = authState.creds;
    const address = parseJid(device);
    if (!address) return false;
    const jid = formatJid(address);
    const other = await (address.kind === 'lid' ? lidMapping.getPNForLID(jid) : lidMapping.getLIDForPN(jid));
    const got = new Set([...people, me?.lid, me?.id].map(withoutDevice));
    return got.has(jid) || (other !== null && got.has(withoutDevice(other)));
  }

  async #copyFor(
    participant: string,
    id: string,
    content: proto.IMessage,
    count: number,
  ): Promise<BinaryNode> {
    const { sock, clock } = this.#options;
    const { signalRepository, authState } = sock;
    const { me, account } = authState.creds;
    const meId = me?.lid ?? me?.id ?? '';
    const key = await signalRepository.getSenderKeyDistributionMessage({ group: STATUS_JID, meId });
    const data = encodeWAMessage({
      ...content,
      senderKeyDistributionMessage: { groupId: STATUS_JID, axolotlSenderKeyDistributionMessage: key },
    });
    const { type, ciphertext } = await signalRepository.encryptMessage({ jid: participant, data });
    const enc = { tag: 'enc', attrs: { v: '2', type, count: String(count) }, content: ciphertext };
    const attrs = { id, to: STATUS_JID, participant, type: typeOf(content) };
    const { additionalAttributes } = stanzaExtras(content, clock.now());
    const proof =
      type === 'pkmsg' && account
        ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }]
        : [];
    return { tag: 'message', attrs: { ...attrs, ...additionalAttributes }, content: [enc, ...proof] };
  }
}

function withoutDevice(jid: string | undefined): string {
  const address = parseJid(jid);
  return address ? formatJid(address) : '';
}

function typeOf(message: proto.IMessage): 'media' | 'text' {
  const { imageMessage, videoMessage } = normalizeMessageContent(message) ?? {};
  return imageMessage || videoMessage ? 'media' : 'text';
}
