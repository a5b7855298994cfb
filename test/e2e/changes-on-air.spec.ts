/** What comes and goes while a broadcast is on air, who may watch it, and what it shows of its secrets. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { mediaPlaylist } from '../helpers/broadcast.ts';
import { timesIn } from '../helpers/counted.ts';
import { countOf } from '../helpers/counts.ts';
import { filesNow } from '../helpers/files-now.ts';
import { processesOf, TOKEN, type RestReply } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { follow, one, STREAM_KEY, URL_SECRET, type One } from './one.ts';

describe('a broadcast on air', () => {
  let shared: One;
  before(async () => {
    shared = await one();
    await shared.onAir();
  });

  const rest = (method: string, path: string, body?: unknown): Promise<RestReply> =>
    shared.service.rest(method, path, body);
  const ofShow = (path: string): string => `/livestreams/${shared.show.livestreamId}/${path}`;
  const get = async (path: string): Promise<RestReply['body']> => (await rest('GET', path)).body.data;

  it('a Destination that joins a group on air is off, is turned on at once, delivers, and leaves only when that is confirmed', async () => {
    const { service, show } = shared;
    const settings = { segment_duration: 1 };
    const joiningId = await service.create('/publishings', { name: 'joining', type: 'HLS / TS', settings });
    const { publishingGroupId } = await get(`/livestreams/${show.livestreamId}`);
    const { rows } = (await rest('GET', '/publishings/groups?fields=*')).body;
    const { elements } = rows.find(({ id }: { id: number }) => id === publishingGroupId);
    const setMembers = (members: unknown, more: object = {}): Promise<RestReply> =>
      rest('PUT', `/publishings/groups/${publishingGroupId}`, { elements: members, ...more });
    const joining = async (): Promise<{ enabled: boolean; state: string } | undefined> =>
      (await get(ofShow('status'))).publishings.find(({ name }: { name: string }) => name === 'joining')?.primary;
    const join = async (): Promise<void> => assert.equal((await setMembers([...elements, joiningId])).status, 200);
    const leave = async (): Promise<void> => {
      await setMembers(elements, { confirmStopDestination: true });
      await until('gone', async () => (await joining()) === undefined);
    };
    try {
      await join();
      const { enabled, state } = (await joining())!;
      assert.deepEqual([enabled, state], [false, 'idle']);
      const turn = { livestream: 'Show', destination: 'joining', path: 'primary', enabled: true };
      for (let round = 0; round < countOf(1, 8); round += 1) {
        await leave();
        await join();
        const reply = await rest('POST', '/workflows/toggle_destination', turn);
        assert.equal(reply.status, 200, `round ${round}: ${JSON.stringify(reply.body)}`);
      }
      await until('segments', async () => {
        const master = `${service.url}/live/${show.livestreamId}/${joiningId}/index.m3u8`;
        return (await fetch(master)).ok && (await mediaPlaylist(master)).segments.length > 0;
      });
      const refused = await setMembers(elements);
      assert.deepEqual([refused.status, refused.body.code], [409, 'confirmation_required']);
    } finally {
      await leave();
    }
    assert.equal((await mediaPlaylist(await show.playlist())).discontinuities, 0, 'the others go on');
  });

  it('players are counted by their sessions, each once at whatever port it asks, and by rendition', async () => {
    const { service, show } = shared;
    /** The Device has the port behind that of the server. */
    const ask = async (session: string, base = service.url): Promise<string> => {
      const { url, segments } = await mediaPlaylist(await show.playlist());
      const { pathname } = new URL(segments.at(-1)!, url);
      const cmcd = encodeURIComponent(`sid="${session}",ot=av`);
      assert.equal((await fetch(`${base}${pathname}?CMCD=${cmcd}`)).status, 200);
      return pathname;
    };
    await until('three viewers', async () => {
      for (const session of ['one', 'two', 'three']) await ask(session);
      return (await get(ofShow('status'))).viewers?.now === 3;
    });
    const device = Number(new URL(service.url).port) + 1;
    const path = await ask('three', `http://127.0.0.1:${device}`);
    const { now, sessions, told_apart_by: by, renditions, quality } = await get(ofShow('audience'));
    assert.deepEqual([now, sessions, by], [3, 3, { session: 3, token: 0, address: 0 }]);
    assert.equal(quality.sessions, 3);
    assert.deepEqual(
      renditions.map(({ encodingId }: { encodingId: number }) => encodingId),
      [Number(path.split('/').at(-2))],
    );
  });

  it('a Recording begins and ends in mid-show, is one however often it is asked for, and can be downloaded', async () => {
    const record = (action: string): Promise<RestReply> => rest('POST', ofShow('runtimeOptions/record'), { action });
    const begun = await record('start');
    assert.equal(begun.status, 200, JSON.stringify(begun.body));
    const { id } = begun.body.data;
    assert.equal((await record('start')).body.data.id, id, 'the one that goes on');
    // At least a whole segment of two seconds, of which a second may be gone before the next keyframe.
    await follow(shared.show.playlist, 2);
    assert.equal((await record('stop')).body.data.id, id);
    assert.equal((await get(ofShow('status'))).recordingId, null);
    const done = await until('finished', async () => {
      const now = await get(`/recordings/${id}`);
      return now.status === 'finished' && now;
    });
    assert.deepEqual([done.files, done.errorstatus, done.publishingId], [1, null, null]);
    const { url } = (await rest('POST', `/recordings/${id}/downloads`, {})).body.data;
    const path = join(shared.service.scratch, 'recording.mp4');
    writeFileSync(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
    const times = timesIn(path);
    assert.equal(new Set(times).size, times.length);
    assert.ok(times.at(-1)! - times[0]! > 0.5, `seconds of media: ${times.join(' ')}`);
  });

  it('private playback refuses what has no token, a wrong one, or one that has run out, and says which', async () => {
    const { show, guests } = shared;
    const link = async (type: string, expires_in = 3600): Promise<string> => {
      const reply = await rest('POST', ofShow('playbackLinks'), { publishingId: guests[type], expires_in });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      return reply.body.data.url as string;
    };
    const answer = async (address: string): Promise<[number, string?]> => {
      const reply = await fetch(address);
      assert.equal(reply.headers.get('access-control-allow-origin'), '*');
      const text = await reply.text();
      return reply.status === 200 ? [200] : [reply.status, (JSON.parse(text) as { reason: string }).reason];
    };
    const url = await link('HLS / TS');
    const plain = url.replace(/\?.*/u, '');
    const { segments, url: variant } = await mediaPlaylist(url);
    assert.deepEqual(await answer(url), [200]);
    assert.deepEqual(await answer(new URL(segments.at(-1)!, variant).href), [200]);
    assert.deepEqual(await answer(plain), [403, 'token_missing']);
    assert.deepEqual(await answer(new URL('../', plain).href + `${show.publishingId}/index.m3u8`), [200], 'for all');
    const other = new URL(await link('CMAF')).search;
    assert.deepEqual(await answer(`${plain}${other}`), [403, 'token_wrong'], 'a token of another Destination');
    const short = await link('HLS / TS', 1);
    await until('the end of its time', async () => (await answer(short))[0] === 403);
    assert.deepEqual(await answer(short), [403, 'token_expired']);
    const later = short.replace(/token=(\d+)/u, (_all, at: string) => `token=${Number(at) + 3600}`);
    assert.deepEqual(await answer(later), [403, 'token_wrong'], 'its time is part of what is signed');
  });

  it('media comes through the server as well: relative addresses, no token in them, byte ranges and entity tags', async () => {
    const authorization = `Bearer ${TOKEN}`;
    const through = (url: string | URL, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(url, { headers: { authorization, ...headers } });
    const master = `${shared.service.url}/svcapiv2/feed/live/${shared.show.livestreamId}/${shared.guests['HLS / TS']!}/index.m3u8`;
    const first = async (url: URL | string): Promise<URL> => {
      const text = await (await through(url)).text();
      assert.ok(!text.includes('token'), text);
      return new URL(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))[0]!, url);
    };
    assert.equal((await fetch(master)).status, 401);
    const segment = await first(await first(master));
    const whole = await through(segment);
    const bytes = Buffer.from(await whole.arrayBuffer());
    assert.deepEqual([whole.headers.get('content-type'), bytes[0]], ['video/mp2t', 0x47]);
    const part = await through(segment, { range: 'bytes=188-375' });
    assert.equal(part.headers.get('content-range'), `bytes 188-375/${bytes.length}`);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(188, 376));
    assert.equal((await through(segment, { 'if-none-match': whole.headers.get('etag')! })).status, 304);
    assert.equal((await through(new URL('gone.ts', master))).status, 404);
  });

  it('secrets appear in no answer, event, log, process list or file but the store and the run’s own spec', async () => {
    const { service } = shared;
    const texts = new Set<string>();
    const events = async (): Promise<string> => JSON.stringify((await rest('GET', ofShow('events?pageSize=500'))).body);
    await until('attempts at the server that hangs up', async () => {
      for (const { command } of processesOf(service.scratch)) texts.add(command);
      return (await events()).includes('destination_retrying');
    });
    const lists = ['/publishings?fields=*', '/livestreams?includeDestinations=true', '/security/tokens', '/devices'];
    for (const path of [...lists, ofShow('status')]) texts.add(JSON.stringify((await rest('GET', path)).body));
    const settings = { url: `rtmp://h/${STREAM_KEY} x`, stream_key: STREAM_KEY, nope: 1 };
    const wrong = await rest('POST', '/publishings', { name: 'bad', type: 'RTMP', settings });
    await shared.offAir();
    for (const each of [JSON.stringify(wrong.body), await events(), service.output()]) texts.add(each);
    // The agent removes the folder of a run once its processes have gone.
    await until(
      'the run’s own files are gone',
      () => !filesNow(service.dataDir).some(({ path }) => /\/device\/runs\//u.test(path)),
    );
    for (const secret of [STREAM_KEY, URL_SECRET, TOKEN])
      assert.equal([...texts].find((text) => text.includes(secret))?.slice(0, 400), undefined, secret);
    for (const { path, text, mode } of filesNow(service.dataDir)) {
      assert.ok(!text.includes(TOKEN), `the token is in ${path}`);
      // A Device agent under a user of its own reads Assets by its group.
      const others = path.includes('/assets/files/') ? 0o037 : 0o077;
      assert.equal(mode & others, 0, `${path} can be read by others`);
      if (!path.includes('/store/'))
        assert.ok(!text.includes(STREAM_KEY) && !text.includes(URL_SECRET), `a secret is in ${path}`);
    }
  });
});
