import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { ProfilePicture } from '../../../../src/contract/index.js';
import { GatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import { message, roomUpdate } from '../../../contracts/store/harness.js';
import type { PeopleAndPictures } from '../../../support/rig/people.js';
import { Rig } from '../../../support/rig/rig.js';

const BOB = { lid: '90000000000002', pn: '15550000002' };
const BOB_JID = `${BOB.lid}@lid`;
const GROUP = '120363040000000000@g.us';
const WISHES = { preview: true, refresh: false };
const PACE_MS = Math.ceil(1_000 / LIMITS.picturesPerSecond);

describe('Avatars', () => {
  let rig: PeopleAndPictures;
  beforeEach(async () => {
    rig = await (await Rig.start()).people();
    rig.known = [BOB];
  });
  afterEach(() => rig.close());

  const show = (jid = BOB_JID, wishes = {}) => rig.avatars.picture('acme', jid, { ...WISHES, ...wishes });
  /** The network shows a picture of that version from now on. */
  const change = (version: string, jid = BOB_JID) =>
    rig.pictures.set(jid, { id: version, type: 'preview', url: `https://pps.example/${version}` });
  const stored = async (view: ProfilePicture) => {
    const [, id = ''] = /\/media\/([^/]+)\//.exec('storedUrl' in view ? view.storedUrl : '') ?? [];
    const opened = await rig.store.files.open(id);
    return opened && (await buffer(opened.stream)).toString();
  };
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => '',
      (error) => error.code,
    );

  it('shows a picture with a permanent copy', async () => {
    change('1');
    const view = await show();
    expect(view).to.deep.equal({
      jid: BOB_JID,
      id: '1',
      type: 'preview',
      url: 'https://pps.example/1',
      storedUrl: 'storedUrl' in view ? view.storedUrl : undefined,
      mirrored: true,
    });
    expect(await stored(view)).to.equal('bytes of https://pps.example/1');
    expect(await rig.store.files.list('acme', { page: 1, limit: 9 })).to.include({ total: 0 });
  });

  it('asks the network once a day for a picture, also across a restart', async () => {
    change('1');
    const first = await show();
    expect(await show()).to.deep.equal(first);
    rig.avatars = rig.restarted();
    rig.clock.advance(LIMITS.pictureTtlMs - 1);
    expect(await show()).to.deep.equal(first);
    expect(rig.asked).to.deep.equal([`look up ${BOB.lid}`, `${BOB_JID} preview`, 'https://pps.example/1']);
    rig.clock.advance(1);
    await show();
    expect(rig.asked.slice(3)).to.deep.equal([`${BOB_JID} preview`]);
  });

  it('asks again on request, and copies only a new version', async () => {
    change('1');
    const first = await show();
    const again = await show(BOB_JID, { refresh: true });
    expect(again).to.deep.equal(first);
    expect(rig.asked.filter((what) => what.startsWith('https:'))).to.have.length(1);
    change('2');
    const second = await show(BOB_JID, { refresh: true });
    expect(second).to.include({ id: '2', url: 'https://pps.example/2', mirrored: true });
    expect(await stored(second)).to.equal('bytes of https://pps.example/2');
    expect(await stored(first), 'the link is permanent').to.equal('bytes of https://pps.example/1');
  });

  it('copies a picture again when its copy was pruned', async () => {
    change('1');
    await show();
    await rig.store.files.prune(Number.MAX_SAFE_INTEGER);
    expect(await stored(await show(BOB_JID, { refresh: true }))).to.equal('bytes of https://pps.example/1');
  });

  it('keeps the two sizes of a picture apart', async () => {
    change('1');
    const small = await show();
    const full = await show(BOB_JID, { preview: false });
    expect(full).to.include({ type: 'full', id: '1' });
    expect('storedUrl' in full && full.storedUrl).not.to.equal('storedUrl' in small && small.storedUrl);
    expect(rig.asked).to.include(`${BOB_JID} image`);
  });

  it('finds one picture for all forms of a person’s address', async () => {
    change('1');
    const views = [];
    for (const jid of [BOB.lid, `+${BOB.pn}`, '+1 (555) 000-0002', `${BOB.pn}:3@s.whatsapp.net`, BOB_JID]) {
      views.push(await show(jid));
    }
    expect(new Set(views.map((view) => JSON.stringify(view))).size).to.equal(1);
    expect(rig.asked.filter((what) => what.endsWith('preview'))).to.have.length(1);
  });

  it('returns the reason why a picture is missing, and caches it for a day', async () => {
    expect(await show()).to.deep.equal({ jid: BOB_JID, url: '', reason: 'no picture' });
    rig.pictures.set(BOB_JID, { reason: 'hidden' });
    expect(await show()).to.include({ reason: 'no picture' });
    expect(await show(BOB_JID, { refresh: true })).to.deep.equal({
      jid: BOB_JID,
      url: '',
      reason: 'hidden by privacy settings',
    });
  });

  it('shows pictures of groups', async () => {
    change('7', GROUP);
    expect(await show(GROUP)).to.include({ jid: GROUP, id: '7', mirrored: true });
  });

  it('asks once for concurrent callers', async () => {
    change('1');
    await Promise.all(Array.from({ length: 5 }, () => show(BOB_JID, { refresh: true })));
    expect(rig.asked.filter((what) => what.endsWith('preview'))).to.have.length(1);
  });

  it('shows a picture without its copy when that fails, and retries the copy', async () => {
    change('1');
    rig.beforeFetch = () => Promise.reject(new GatewayError('media_unfetchable', 'not now'));
    expect(await show()).to.include({ url: 'https://pps.example/1', storedUrl: '', mirrored: false });
    rig.beforeFetch = async () => undefined;
    expect(await show()).to.include({ mirrored: true });
    expect(rig.asked.filter((what) => what.endsWith('preview'))).to.have.length(1);
  });

  it('asks again for a picture that has changed', async () => {
    change('1');
    await show();
    change('2');
    for (const jid of [BOB_JID, `${BOB.pn}@s.whatsapp.net`]) {
      await rig.avatars.changed('acme', jid);
      expect(await show()).to.include({ id: '2' });
    }
    expect(rig.asked.filter((what) => what.endsWith('preview'))).to.have.length(3);
  });

  it('asks again for a picture that changes while it is fetched', async () => {
    for (const version of ['1', '2']) {
      change(version);
      rig.beforeFetch = () => rig.avatars.changed('acme', BOB_JID);
      expect(await show()).to.include({ id: version });
      rig.beforeFetch = async () => undefined;
    }
    change('3');
    expect(await show()).to.include({ id: '3' });
    expect(await show()).to.include({ id: '3' });
    expect(rig.asked.filter((what) => what.endsWith('preview'))).to.have.length(3);
  });

  it('moves pictures to the LID of a person once it is known', async () => {
    change('1', `${BOB.pn}@s.whatsapp.net`);
    rig.known = [{ lid: '', pn: BOB.pn }];
    const view = await show(`+${BOB.pn}`);
    expect(view).to.include({ jid: `${BOB.pn}@s.whatsapp.net` });
    await rig.contacts.learn('acme', { ...BOB, source: 'mapping' });
    await rig.avatars.pictures.moved('acme', `${BOB.pn}@s.whatsapp.net`, BOB_JID);
    expect(await show()).to.deep.equal({ ...view, jid: BOB_JID });
  });

  it('shows the small picture in rooms', async () => {
    await rig.sessions.setOrgId('acme', 'workspace1');
    const chatRoomId = `acme-90000000000001-${BOB.lid}`;
    await rig.store.history.record(
      'acme',
      roomUpdate({ chatRoomId, remoteJid: BOB_JID }),
      message('M1', { chatRoomId }),
    );
    const shown = async () => (await rig.store.history.room('acme', chatRoomId))?.avatarId;
    change('1');
    const small = await show();
    await show(BOB_JID, { preview: false });
    const { storedUrl } = 'storedUrl' in small ? small : { storedUrl: '' };
    expect(storedUrl).to.include(`/media/${await shown()}/`);
    expect(await rig.avatars.pictures.avatarUrl('acme', BOB_JID)).to.equal(storedUrl);
    rig.pictures.clear();
    await show(BOB_JID, { refresh: true });
    expect(await shown()).to.equal('');
    expect(await rig.avatars.pictures.avatarUrl('acme', BOB_JID)).to.equal('');
  });

  it('refuses an unknown person and an invalid address', async () => {
    expect(await codeOf(show('+15550000009'))).to.equal('not_found');
    expect(await codeOf(show('99999999999999'))).to.equal('not_found');
    for (const jid of ['bob', '15550000002@example.com', '+1', 'status@broadcast', '']) {
      expect(await codeOf(show(jid)), jid).to.equal('invalid_request');
    }
    expect(await codeOf(rig.avatars.picture('nobody', BOB_JID, WISHES))).to.equal('session_unknown');
    await rig.sessions.start('fresh', {});
    expect(await codeOf(rig.avatars.picture('fresh', BOB_JID, WISHES))).to.equal('session_unpaired');
  });

  it('fails when the network refuses, and keeps the stored picture', async () => {
    change('1');
    await show();
    rig.pictures.set(BOB_JID, new GatewayError('lookup_failed', 'The network refused (429).'));
    expect(await codeOf(show(BOB_JID, { refresh: true }))).to.equal('lookup_failed');
    expect(await show()).to.include({ id: '1' });
  });

  it('leaves no copy behind when the session is deleted during a fetch', async () => {
    change('1');
    let fetching: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      fetching = resolve;
    });
    let go: () => void = () => undefined;
    rig.beforeFetch = () => {
      fetching();
      return new Promise((resolve) => {
        go = resolve;
      });
    };
    const shown = codeOf(show());
    await begun;
    const deleted = rig.sessions.disconnect('acme');
    await new Promise((resolve) => setImmediate(resolve));
    go();
    await deleted;
    expect(await shown).to.equal('session_unknown');
    expect(await rig.store.pictures.get('acme', BOB_JID, true)).to.equal(undefined);
    expect(await rig.store.files.removeAll('acme')).to.equal(0);
  });

  describe('refreshAll', () => {
    const jidOf = (n: number) => `9000000000010${n}@lid`;
    const roomOf = (n: number) => `acme-90000000000001-9000000000010${n}`;

    beforeEach(async () => {
      await rig.sessions.setOrgId('acme', 'workspace1');
      for (let n = 0; n < 5; n += 1) {
        const chatRoomId = roomOf(n);
        // the newest room comes first
        const room = roomUpdate({ chatRoomId, remoteJid: jidOf(n), isGroup: false });
        await rig.store.history.record('acme', room, message(`M${n}`, { chatRoomId, sentAt: 1_000 - n }));
      }
    });

    /** Goes through the rooms, moving time on as it is waited for. */
    const pass = async (force = false) => {
      const counts = rig.avatars.refreshAll('acme', force);
      let isDone = false;
      void counts
        .finally(() => {
          isDone = true;
        })
        .catch(() => undefined);
      while (!isDone) {
        await new Promise((resolve) => setImmediate(resolve));
        if (rig.clock.pending().length > 0) rig.clock.advance(PACE_MS);
      }
      return counts;
    };
    const avatars = async () =>
      (await rig.store.history.rooms('acme')).map(({ avatarId }) => avatarId !== '');

    it('counts the outcome of every room', async () => {
      change('1', jidOf(0));
      change('2', jidOf(1));
      rig.pictures.set(jidOf(2), { reason: 'hidden' });
      rig.pictures.set(jidOf(3), new GatewayError('lookup_failed', 'The network refused (500).'));
      await rig.store.history.updateRoom('acme', roomOf(4), { avatarId: 'F-old' });
      expect(await pass()).to.deep.equal({ rooms: 5, updated: 2, skipped: 1, noPhoto: 1, failed: 1 });
      expect(await avatars()).to.deep.equal([true, true, false, false, true]);
    });

    it('asks again for known pictures only if forced', async () => {
      for (const n of [0, 1, 2]) change('1', jidOf(n));
      expect(await pass()).to.deep.equal({ rooms: 5, updated: 3, skipped: 0, noPhoto: 2, failed: 0 });
      rig.asked.length = 0;
      expect(await pass()).to.deep.equal({ rooms: 5, updated: 0, skipped: 3, noPhoto: 2, failed: 0 });
      expect(rig.asked).to.deep.equal([]);
      change('2', jidOf(0));
      rig.pictures.delete(jidOf(1));
      expect(await pass(true)).to.deep.equal({ rooms: 5, updated: 2, skipped: 0, noPhoto: 3, failed: 0 });
      expect(await avatars()).to.deep.equal([true, false, true, false, false]);
    });

    it('asks again for pictures that have changed', async () => {
      for (const n of [0, 1]) change('1', jidOf(n));
      await pass();
      change('2', jidOf(1));
      await rig.avatars.changed('acme', jidOf(1));
      expect(await pass()).to.deep.equal({ rooms: 5, updated: 1, skipped: 1, noPhoto: 3, failed: 0 });
    });

    it('asks at a limited rate', async () => {
      const asked: number[] = [];
      const start = rig.clock.now();
      rig.asked.push = (what) => {
        if (what.endsWith('preview')) asked.push(rig.clock.now() - start);
        return asked.length;
      };
      await pass();
      expect(asked).to.have.length(5);
      for (const [n, at] of asked.entries()) expect(at, `${n}`).to.be.at.least(n * PACE_MS);
      expect(asked.at(-1)).to.be.at.most(5 * PACE_MS);
    });

    it('joins passes of the same kind, and refuses another kind meanwhile', async () => {
      change('1', jidOf(0));
      const [one, two] = [pass(), rig.avatars.refreshAll('acme', false)];
      expect(await codeOf(Promise.resolve().then(() => rig.avatars.refreshAll('acme', true)))).to.equal(
        'avatars_busy',
      );
      expect(await one).to.equal(await two);
      expect(rig.asked.filter((what) => what.endsWith('preview'))).to.have.length(5);
      expect(await pass(true)).to.include({ rooms: 5 });
    });

    it('skips rooms without a hosted inbox', async () => {
      await rig.sessions.setOrgId('acme', '');
      const nothing = { rooms: 0, updated: 0, skipped: 0, noPhoto: 0, failed: 0 };
      expect(await rig.avatars.refreshAll('acme', true)).to.deep.equal(nothing);
      expect(rig.asked).to.deep.equal([]);
      expect(await codeOf(Promise.resolve().then(() => rig.avatars.refreshAll('nobody', false)))).to.equal(
        'session_unknown',
      );
    });

    it('counts the remaining rooms as failed when the connection is lost', async () => {
      for (let n = 0; n < 5; n += 1) change('1', jidOf(n));
      await rig.disconnect();
      expect(await pass()).to.deep.equal({ rooms: 5, updated: 0, skipped: 0, noPhoto: 0, failed: 5 });
    });

    it('ends the pass when the gateway stops', async () => {
      const counts = rig.avatars.refreshAll('acme', false);
      await rig.clock.scheduled(PACE_MS);
      await rig.avatars.stop();
      expect(await counts).to.deep.include({ rooms: 5, updated: 0, failed: 5 });
    });
  });
});
