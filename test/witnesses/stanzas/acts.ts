import type { SandboxClient } from '../../../src/client/sandbox/client.js';
import type { ComparedClient, Person, Target } from './client.js';

/** Whom a client acts with: people that it meets for the first time. */
export interface Scene {
  phones: SandboxClient;
  /** Writes to the client, and is written to. */
  friend: Person;
  /** Is reached by LID only. */
  stranger: Person;
  member: Person;
  /** What the friend has written, and what the client has written to the friend. */
  received: Target;
  sent: Target;
  group: string;
}

type Work = (client: ComparedClient, scene: Scene) => Promise<void> | undefined;

/** What every client does, in this order. Work that is undefined has no call in that client. */
export const ACTS: Readonly<Record<string, Work>> = {
  'link by QR, up to the first login': (client) => client.link(),
  'log in again': (client) => client.reconnect(),
  'appear online': (client) => client.appearOnline?.(),
  'look a number up': (client, { stranger }) => client.lookUp?.(stranger.number),
  'send a text to a number': async (client, scene) => {
    scene.sent = await client.text(scene.friend, 'Hello');
  },
  'send a second text': async (client, { friend }) => {
    await client.text(friend, 'Hello again');
  },
  'send a text to a LID': (client, { stranger }) => client.textToLid?.(stranger, 'Hello, stranger'),
  'receive a text': async (client, scene) => {
    scene.received = await written(client, scene, 'Hello, you');
  },
  'mark it read': (client, { friend, received }) => client.markRead(friend, received),
  'reply to it': (client, { friend, received }) => client.reply(friend, 'A reply', received),
  'edit an own text': (client, { friend, sent }) => client.edit(friend, sent, 'Hello, better'),
  react: (client, { friend, received }) => client.react(friend, received),
  'send a poll': (client, { friend }) => client.poll(friend, 'Tea?', ['Yes', 'No']),
  'send an image': (client, { friend }) => client.file(friend, 'image'),
  'send a video': (client, { friend }) => client.file(friend, 'video'),
  'send a voice note': (client, { friend }) => client.file(friend, 'audio'),
  'send a document': (client, { friend }) => client.file(friend, 'document'),
  'send a sticker': (client, { friend }) => client.file(friend, 'sticker'),
  'receive a copy that cannot be decrypted': async (client, scene) => {
    await written(client, scene, 'Damaged', 'damaged');
  },
  'show that it types': (client, { friend }) => client.type(friend),
  'follow the presence of a person': (client, { friend }) => client.follow(friend),
  'create a group': async (client, scene) => {
    scene.group = await client.createGroup('Compared', [scene.friend, scene.member]);
  },
  'send a text to the group': async (client, { group }) => {
    await client.text(group, 'Hello, all');
  },
  'archive a chat': (client, { friend, received }) => client.archive(friend, received),
};

/** The friend writes, and the client receives it. */
async function written(
  { number }: ComparedClient,
  { phones, friend }: Scene,
  text: string,
  deviceCopy?: 'damaged',
): Promise<Target> {
  const { messageId } = await phones.write(friend.number, {
    to: number,
    text,
    ...(deviceCopy && { deviceCopy }),
  });
  return { id: messageId, text };
}
