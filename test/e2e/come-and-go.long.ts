/** Destinations that join a broadcast and leave it, and recordings that begin and end in mid-show; nothing else loses a picture. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { droppedIn, goOnAir, mediaPlaylist, statusOf, uploadFile } from '../helpers/broadcast.ts';
import { VIDEO } from '../helpers/counted-broadcast.ts';
import { COUNTED_FPS, flowOf, makeCountedClip, numbersIn } from '../helpers/counted.ts';
import { pidsOf, startService, type RestReply, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const PICTURES = 1800;

describe('what comes and goes on air', () => {
  let service: Service;
  let livestreamId: number;
  let groupId: number;
  let webId: number;
  let secondId: number;

  before(async () => {
    service = await startService();
    await uploadFile(service, makeCountedClip(join(service.scratch, 'counted.mp4'), PICTURES));
    const settings = { filename: 'counted.mp4' };
    const channelId = await service.create('/channels', { name: 'Film', type: 'File', settings });
    const settings_video = { ...VIDEO, height: 180, bitrate: 400, h264: { keyframe_interval: 1 } };
    const encodingId = await service.create('/encodings', { name: '180p', settings_video });
    const hls = { type: 'HLS / TS', settings: { segment_duration: 1, playlist_length: 100 } };
    webId = await service.create('/publishings', { name: 'web', ...hls });
    secondId = await service.create('/publishings', { name: 'second', ...hls });
    groupId = await service.create('/publishings/groups', { name: 'outputs', elements: [webId] });
    const bound = { channelId, encodingId, publishingGroupId: groupId };
    livestreamId = await service.create('/livestreams', { name: 'Show', ...bound });
    await goOnAir(service, livestreamId);
  });
  after(() => service.dispose());

  const status = async (): Promise<RestReply['body']> =>
    (await service.rest('GET', `/livestreams/${livestreamId}/status`)).body.data;
  const named = async (): Promise<Record<string, { enabled: boolean; state: string }>> =>
    Object.fromEntries(
      (await status()).publishings.map((row: { name: string; primary: object }) => [row.name, row.primary]),
    );
  const members = (elements: number[], more: object = {}): Promise<RestReply> =>
    service.rest('PUT', `/publishings/groups/${groupId}`, { elements, ...more });
  const toggle = (publishingId: number, primary: boolean): Promise<RestReply> =>
    service.rest('POST', `/livestreams/${livestreamId}/runtimeOptions/publishings`, {
      publishings: [{ publishingId, primary }],
    });
  const record = (action: string): Promise<RestReply> =>
    service.rest('POST', `/livestreams/${livestreamId}/runtimeOptions/record`, { action });
  const recording = async (id: number): Promise<RestReply['body']> =>
    (await service.rest('GET', `/recordings/${id}`)).body.data;
  const playlist = async (publishingId: number): Promise<string> =>
    `${service.url}/live/${livestreamId}/${publishingId}/index.m3u8`;
  const runner = (): number | undefined => pidsOf(service.scratch, /onair\S* runner/u)[0];

  it('a Publishing that joins the group on air is named, off, and delivers once it is turned on', async () => {
    const reply = await members([webId, secondId]);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body.data.notes, [
      'Live stream "Show" is on air and gets Destination "second", switched off.',
    ]);
    const joined = await until('named', async () => (await named())['second']);
    assert.deepEqual([joined.enabled, joined.state], [false, 'idle']);
    const answer = await toggle(secondId, true);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const source = await playlist(secondId);
    await until('segments', async () => {
      const master = await fetch(source);
      return master.ok && (await mediaPlaylist(source)).segments.length > 0;
    });
  });

  it('a recording begins and ends in mid-show, as often as it is asked for', async () => {
    const none = await record('stop');
    assert.deepEqual([none.status, none.body.code], [409, 'wrong_state']);
    const [shown] = (await picturesOf(webId)).slice(-1);
    const begun = await record('start');
    assert.equal(begun.status, 200, JSON.stringify(begun.body));
    const { id, publishingId, livestreamId: of, ended_at } = begun.body.data;
    assert.deepEqual([publishingId, of, begun.body.data.status, ended_at], [null, livestreamId, 'recording', null]);
    assert.equal((await record('start')).body.data.id, id, 'the one that goes on');
    assert.equal((await status()).recordingId, id);
    assert.equal((await service.rest('DELETE', `/recordings/${id}`)).status, 409);
    const grown = await until('some seconds of it', async () => {
      const { duration_seconds: seconds } = await recording(id);
      return seconds > 4 && Number(seconds);
    });
    const stopped = await record('stop');
    assert.deepEqual([stopped.status, stopped.body.data.id], [200, id], JSON.stringify(stopped.body));
    assert.equal((await status()).recordingId, null);
    const done = await until('finished', async () => {
      const now = await recording(id);
      return now.status === 'finished' && now;
    });
    assert.ok(done.duration_seconds >= grown, `${done.duration_seconds} s of ${grown} s`);
    assert.deepEqual([done.files, done.errorstatus, done.publishingId, done.qualities], [1, null, null, ['180p']]);
    const another = await record('start');
    assert.notEqual(another.body.data.id, id);
    const numbers = await picturesIn(id);
    const { missing, repeated } = flowOf(numbers, PICTURES);
    assert.ok(missing <= (await droppedIn(service, livestreamId)) && repeated === 0, numbers.join(' '));
    assert.ok(Math.abs(numbers.length / COUNTED_FPS - done.duration_seconds) < 0.2 + missing / COUNTED_FPS);
    const ahead = (numbers[0]! - shown! + PICTURES) % PICTURES;
    assert.ok(ahead > 0 && ahead < PICTURES / 2, `it begins with ${numbers[0]}, and ${shown} was on air before`);
    assert.equal((await service.rest('DELETE', `/recordings/${id}`)).status, 200);
  });

  /** The pictures that a playlist lists. */
  async function picturesOf(publishingId: number): Promise<(number | undefined)[]> {
    const { segments, discontinuities, url } = await mediaPlaylist(await playlist(publishingId));
    assert.equal(discontinuities, 0);
    const bytes = await Promise.all(
      segments.map(async (name) => Buffer.from(await (await fetch(new URL(name, url))).arrayBuffer())),
    );
    const path = join(service.scratch, 'web.ts');
    writeFileSync(path, Buffer.concat(bytes));
    return numbersIn(path);
  }

  async function picturesIn(id: number): Promise<(number | undefined)[]> {
    const { body } = await service.rest('POST', `/recordings/${id}/downloads`, {});
    const reply = await fetch(body.data.url);
    assert.equal(reply.status, 200);
    const path = join(service.scratch, `recording-${id}.mp4`);
    writeFileSync(path, Buffer.from(await reply.arrayBuffer()));
    const numbers = numbersIn(path);
    assert.ok(numbers.length > 3 * COUNTED_FPS);
    return numbers;
  }

  it('one that is on is removed only by confirmation, and none of it costs the others a picture', async () => {
    const refused = await members([webId]);
    assert.deepEqual([refused.status, refused.body.code], [409, 'confirmation_required'], JSON.stringify(refused.body));
    assert.match(refused.body.detail, /"second" of Live stream "Show".*confirmStopDestination: true/u);
    assert.equal((await named())['second']!.enabled, true);
    assert.equal((await members([webId], { confirmStopDestination: true })).status, 200);
    await until('gone', async () => !('second' in (await named())));
    const ended = await mediaPlaylist(await playlist(secondId));
    assert.match(ended.text, /#EXT-X-ENDLIST/u, 'its viewers are told that nothing more comes');
    const { pictures, missing, repeated } = flowOf(await picturesOf(webId), PICTURES);
    assert.ok(pictures > 6 * COUNTED_FPS);
    assert.ok(missing <= (await droppedIn(service, livestreamId)) && repeated === 0, `${missing}, ${repeated}`);
  });

  it('the set and a recording outlive a killed control plane and a killed runner, and the set the next start', async () => {
    await members([webId, secondId]);
    await until('named', async () => 'second' in (await named()));
    const id = (await status()).recordingId;
    await service.kill('SIGKILL');
    const before = runner();
    process.kill(before!, 'SIGKILL');
    await service.restart();
    await until('another runner', () => runner() !== undefined && runner() !== before);
    await until('on air', async () => (await statusOf(service, livestreamId)).status === 2);
    assert.deepEqual([(await named())['second']?.enabled, (await status()).recordingId], [false, id]);
    await until('its second part', () =>
      readdirSync(join(service.dataDir, 'device', 'recordings', String(livestreamId))).some((name) =>
        name.endsWith('-r2-2.mp4'),
      ),
    );
    await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
    await until('off air', async () => (await statusOf(service, livestreamId)).status === 0);
    const done = await until('finished', async () => {
      const now = await recording(id);
      return now.status === 'finished' && now;
    });
    assert.deepEqual([done.files, done.publishingId], [1, null]);
    await goOnAir(service, livestreamId);
    assert.equal((await named())['second']?.enabled, true, 'what is new to a start is on');
    assert.equal((await status()).recordingId, null);
  });
});
