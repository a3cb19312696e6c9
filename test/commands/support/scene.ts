import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FailedEvents } from '../../support/failed-events.js';
import { KeptStore } from '../../support/kept-store.js';
import { eventOf } from '../../support/receiver.js';
import {
  ALICE,
  BOB,
  CAROL,
  linkSession,
  reached,
  startWorld,
  TOKEN,
  type World,
} from '../../support/world.js';

export const DAVE = '+15550000004';

/** A daemon with example data for all commands. */
export interface Scene {
  /** The environment with the addresses of daemon and sandbox. */
  env: Readonly<Record<string, string>>;
  /** Flags by which a command finds a store that no daemon uses. */
  store: readonly string[];
  /** A folder that is not there yet. */
  freshFolder: string;
  /** A text file. */
  file: string;
  /** Of `acme`, whose history is kept; another group is there to be left. */
  group: string;
  groupToLeave: string;
  /** Link of an invite to a group of Bob's. */
  invite: string;
  /** A channel of Alice's with a post, which is to be deleted, and a channel of Bob's. */
  channel: string;
  channelLink: string;
  post: string;
  otherChannel: string;
  /** An own status, to be deleted. */
  status: string;
  /** A text of Bob's, and his picture. */
  theirs: string;
  picture: string;
  /** The picture's record in the media library. */
  record: string;
  /** Own texts: to be edited and to be deleted. */
  own: readonly [string, string];
  /** Deliveries that failed: to be shown and to be sent again. */
  failed: readonly [string, string];
}

/** The sessions `acme` (with a workspace), `spare` (linked too) and `waiting` (for a phone), and what they have lived. */
export async function setScene(): Promise<{ scene: Scene; end(): Promise<void> }> {
  const refused = new FailedEvents();
  const world = await startWorld({ overrides: refused.overrides });
  const kept = await KeptStore.begin();
  const end = async () => {
    await world.stop();
    await kept.drop();
  };
  try {
    await link(world);
    const scene = {
      env: {
        SWITCHBOARD_URL: world.daemon.url,
        SWITCHBOARD_TOKEN: TOKEN,
        SWITCHBOARD_DATA_DIR: kept.dataDir,
        SWITCHBOARD_SANDBOX_URL: world.sandbox.url,
      },
      store: kept.flags,
      freshFolder: join(kept.dataDir, 'export'),
      file: await writtenFile(kept.dataDir),
      ...(await live(world, refused)),
    };
    // last, because a QR is good for a while only
    await ask(world, '/start?clientId=waiting', {});
    await reached(world, 'waiting', 'qr');
    return { scene, end };
  } catch (error) {
    await end();
    throw error;
  }
}

async function link(world: World): Promise<void> {
  for (const person of [ALICE, BOB, { number: DAVE, name: 'Dave' }]) await world.phones.addPhone(person);
  await world.phones.people.nameContacts(ALICE.number, [BOB]);
  await linkSession(world, 'acme', ALICE, { extraEvents: ['presence'] });
  await linkSession(world, 'spare', CAROL);
  await ask(world, '/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
}

async function writtenFile(folder: string): Promise<string> {
  const path = join(folder, 'note.txt');
  await writeFile(path, 'a note');
  return path;
}

/** Creates messages, groups, a file and failed deliveries. */
async function live(world: World, refused: FailedEvents) {
  const write = async (wish: object) => {
    const { messageId } = await world.phones.write(BOB.number, { ...wish, to: ALICE.number });
    return eventOf(world.receiver, messageId);
  };
  const { messageId: theirs } = await write({ text: 'Hello, Alice' });
  const sent = await write({ media: { kind: 'image', mimeType: 'image/jpeg', size: 2_000 } });
  // answered when the file is there
  await (await fetch(String(sent.media?.downloadUrl))).arrayBuffer();
  const send = async (body: string) => {
    const answer = await ask(world, '/send-message', { clientId: 'acme', to: BOB.number, body });
    return String(answer.messageId);
  };
  const group = async (subject: string) => {
    const members = { clientId: 'acme', subject, participants: [BOB.number] };
    return String(Reflect.get(Object((await ask(world, '/create-group', members)).group), 'jid'));
  };
  const own = [await send('first'), await send('second')] as const;
  const hook = { url: world.receiver.url };
  const failed = [await refused.add('acme', 'text', hook), await refused.add('acme', 'text', hook)] as const;
  const record = await firstFile(world);
  const { inviteCode } = await world.phones.groups.create(BOB.number, { subject: 'Open' });
  const { channels } = world.phones;
  const { jid: channel } = await channels.create(ALICE.number, { name: 'Own news' });
  const { messageId: post } = await channels.post(ALICE.number, channel, { text: 'The first post' });
  const { jid: otherChannel } = await channels.create(BOB.number, { name: 'Other news' });
  const { inviteCode: channelCode } = await channels.get(channel);
  const status = await ask(world, '/post-status', { clientId: 'acme', body: 'A mistake' });
  return {
    channel,
    channelLink: `https://whatsapp.com/channel/${channelCode}`,
    status: String(status.messageId),
    post,
    otherChannel,
    theirs,
    picture: sent.messageId,
    own,
    failed,
    record,
    group: await group('Team'),
    groupToLeave: await group('Gone'),
    invite: `https://chat.whatsapp.com/${inviteCode}`,
  };
}

async function firstFile(world: World): Promise<string> {
  const { body } = await world.api.get('/media-files?clientId=acme&orgId=workspace1');
  const [file] = Array.isArray(body.files) ? body.files : [];
  return String(file?.messageId);
}

async function ask(world: World, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await world.api.post(path, body);
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${answer.body.error}`);
  return answer.body;
}
