import { type BinaryNode, getBinaryNodeChild, type WASocket } from '@whiskeysockets/baileys';
import type { Logger } from '../../log.js';

/** Stanzas that one request asks for: as many as the library's own request, which is the first. */
const BATCH = 100;

/**
 * Asks for the rest of what waited while the device was away, a batch at a time. The library asks once; the official client asks again
 * when a batch comes (whatsapp-rust `offline_resume.rs`), and a network that waits for that sends neither the rest nor live messages
 * (Baileys #2810).
 */
export class OfflineQueue {
  readonly #sock: WASocket;
  readonly #log: Logger;
  /** Stanzas that were asked for and have not come; undefined while no queue is being delivered. */
  #asked: number | undefined;

  constructor(sock: WASocket, log: Logger) {
    this.#sock = sock;
    this.#log = log;
  }

  /** Notes each stanza of the network. */
  take(node: BinaryNode): void {
    if (node.tag === 'ib') this.#takeInfo(node);
    else if (this.#asked !== undefined && node.attrs.offline !== undefined) this.#noteArrival(this.#asked);
  }

  #takeInfo(node: BinaryNode): void {
    if (getBinaryNodeChild(node, 'offline_preview')) this.#asked = BATCH;
    if (getBinaryNodeChild(node, 'offline')) this.#asked = undefined;
  }

  #noteArrival(asked: number): void {
    this.#asked = asked > 1 ? asked - 1 : BATCH;
    if (asked > 1) return;
    const content = [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }];
    this.#sock
      .sendNode({ tag: 'ib', attrs: {}, content })
      .catch((err: unknown) => this.#log.debug({ err }, 'no more of the offline queue asked for'));
  }
}
