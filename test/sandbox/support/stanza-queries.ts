import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys';
import type { BaileysDevice } from './baileys-device.js';

const SERVER = 's.whatsapp.net';

/** Asks the network. */
export function ask(
  device: BaileysDevice,
  { type = 'get', to = SERVER, ...attrs }: { xmlns: string; type?: string; to?: string; target?: string },
  ...content: BinaryNode[]
): Promise<BinaryNode> {
  return device.socket.query({ tag: 'iq', attrs: { ...attrs, type, to }, content });
}

export function element(tag: string, attrs = {}, content?: BinaryNode['content']): BinaryNode {
  return { tag, attrs, ...(content !== undefined && { content }) };
}

/** Waits for a stanza with that tag that matches. */
export function heard(
  device: BaileysDevice,
  tag: string,
  matches: (node: BinaryNode) => boolean = () => true,
): Promise<BinaryNode> {
  const { ws } = device.socket;
  return new Promise((resolve) => {
    const listener = (node: BinaryNode) => {
      if (!matches(node)) return;
      ws.off(`CB:${tag}`, listener);
      resolve(node);
    };
    ws.on(`CB:${tag}`, listener);
  });
}

/** Waits for a notification of that type with that element. @returns both, the notification first */
export async function notified(
  device: BaileysDevice,
  type: string,
  tag: string,
): Promise<[BinaryNode, BinaryNode]> {
  let found: BinaryNode | undefined;
  const node = await heard(device, 'notification', (one) => {
    found = one.attrs.type === type ? getBinaryNodeChild(one, tag) : undefined;
    return found !== undefined;
  });
  if (!found) throw new Error('unreachable: the notification had it');
  return [node, found];
}
