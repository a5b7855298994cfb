/**
 * Changes on air over REST, each proven by what a viewer decodes: it is in force, and no video frame is lost anywhere. Then the source goes and comes back, and the runner is killed: what was changed is still there.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { droppedIn, goOnAir, mediaPlaylist } from '../helpers/broadcast.ts';
import { VIDEO } from '../helpers/counted-broadcast.ts';
import { beepsIn, COUNTED_FPS, flowOf, longestStep, numbersIn, timesIn } from '../helpers/counted.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { processesOf, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { endPlayer, PICTURES, twoSources, uploadLogo, type CalledSource } from '../helpers/two-sources.ts';
import { Viewer, type Seen } from '../helpers/viewer.ts';

const STREAM_KEY = 'canary-changes-key';

describe('changes on air', () => {
  let service: Service;
  let rtmp: RtmpServer;
  let viewer: Viewer;
  let livestreamId: number;
  let webId: number;
  const sources: CalledSource[] = [];

  before(async () => {
    service = await startService();
    rtmp = await startRtmp();
    livestreamId = await broadcast();
    await goOnAir(service, livestreamId);
    await until('published', async () => (await rtmp.publishing()).includes(STREAM_KEY));
    viewer = new Viewer(`${rtmp.url}/${STREAM_KEY}`);
    await viewer.first('a picture', 0, ({ number }) => number !== undefined);
  });
  after(async () => {
    await viewer?.close();
    for (const { player } of sources) await endPlayer(player);
    await service?.dispose();
    await rtmp?.dispose();
  });

  async function broadcast(): Promise<number> {
    sources.push(...(await twoSources(service)));
    const encodings: number[] = [];
    for (const height of [180, 90]) {
      const video = { ...VIDEO, height, bitrate: 3 * height, h264: { keyframe_interval: 1 } };
      encodings.push(await service.create('/encodings', { name: `${height} lines`, settings_video: video }));
    }
    const encodingGroupId = await service.create('/encodings/groups', { name: 'ladder', elements: encodings });
    const web = { segment_duration: 1, playlist_length: 100 };
    webId = await service.create('/publishings', { name: 'web', type: 'HLS / TS', settings: web });
    const elements = [webId];
    const settings = { url: rtmp.url, stream_key: STREAM_KEY };
    const retry = { max_attempts: 50, initial_delay_ms: 200, max_delay_ms: 500 };
    elements.push(await service.create('/publishings', { name: 'platform', type: 'RTMP', settings, retry }));
    elements.push(await service.create('/publishings', { name: 'archive', type: 'Record', settings: {} }));
    const publishingGroupId = await service.create('/publishings/groups', { name: 'outputs', elements });
    await uploadLogo(service);
    const bound = { channelId: sources[0]!.channelId, encodingGroupId, publishingGroupId };
    return service.create('/livestreams', { name: 'Changed show', ...bound });
  }

  /** In force: the answer, and what a viewer sees after the call. */
  async function change(t: TestContext, operation: string, body: object, isIt: (seen: Seen) => boolean): Promise<void> {
    const request = performance.now();
    const reply = await service.rest('POST', `/livestreams/${livestreamId}/${operation}`, body);
    const answered = performance.now();
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const { at } = await viewer.first(`${operation} ${JSON.stringify(body)}`, request, isIt);
    const [took, later] = [(answered - request) / 1000, (at - answered) / 1000];
    t.diagnostic(`${JSON.stringify(body)}: answered after ${took.toFixed(2)} s, seen ${later.toFixed(2)} s after that`);
  }

  /** Two seconds of what is in force now, so that nothing of it hides in a gap. */
  async function stays(what: string, isIt: (seen: Seen) => boolean): Promise<void> {
    const from = viewer.seen.length;
    await until('two seconds more', () => viewer.seen.length >= from + 2 * COUNTED_FPS);
    const seen = viewer.seen.slice(from);
    assert.ok(seen.every(isIt), `${what}: ${messagesOf(seen)}`);
  }

  const blackout = 'runtimeOptions/blackout';
  const logo = (filename: string): object => ({ logo: { filename, position: 'Bottom-Left' } });
  const text = { action: 'show', text: 'LIVE', position: 'Bottom', size: 120, color: '#ffffff' };

  it('logo and text are shown and taken away on air', async (t) => {
    await change(t, 'runtimeOptions/logo', logo('bug.png'), (seen) => seen.logo);
    await change(t, 'text', text, (seen) => seen.text && seen.logo);
    await change(t, 'runtimeOptions/logo', logo(''), (seen) => !seen.logo && seen.text);
    await change(t, 'text', { action: 'hide' }, (seen) => !seen.text);
  });

  it('a blackout on air is made with the sound and without', async (t) => {
    for (const keepAudio of [false, true]) {
      await change(t, blackout, { mode: 'Black Frame', keepAudio }, (seen) => seen.black);
      await stays('black', (seen) => seen.black);
      await change(t, blackout, { mode: 'Live' }, (seen) => seen.number !== undefined);
    }
    await stays('live', ({ number }) => number !== undefined);
  });

  it('no Destination loses a picture by a change on air', async (t) => {
    const length = PICTURES;
    const counts = { RTMP: viewer.seen.map(({ number }) => number), 'HLS / TS': [], Record: [] } as Record<
      string,
      (number | undefined)[]
    >;
    const hls = await web();
    const dir = join(service.dataDir, 'device', 'recordings', String(livestreamId));
    const recording = join(service.scratch, 'so-far.mp4');
    writeFileSync(
      recording,
      readFileSync(
        join(
          dir,
          readdirSync(dir).find((name) => name.endsWith('.mp4'))!,
        ),
      ),
    );
    counts['HLS / TS'] = numbersIn(hls);
    counts['Record'] = numbersIn(recording);
    const dropped = await droppedIn(service, livestreamId);
    for (const [name, numbers] of Object.entries(counts)) {
      const flow = flowOf(bridged(numbers), length);
      t.diagnostic(`${name}: ${JSON.stringify(flow)}`);
      assert.ok(flow.pictures > 5 * COUNTED_FPS, `${name}: ${flow.pictures} pictures`);
      assert.ok(flow.missing <= dropped, `${name}: ${dropped} left out by the encoder`);
    }
    for (const path of [hls, recording]) assert.ok(longestStep(timesIn(path)) < (1.5 + dropped) / COUNTED_FPS, path);
    assertSound(hls, counts['HLS / TS']!);
  });

  /** All segments of the best rendition so far. */
  async function web(): Promise<string> {
    const master = `${service.url}/live/${livestreamId}/${webId}/index.m3u8`;
    const { segments } = await mediaPlaylist(master);
    const [variant] = (await (await fetch(master)).text()).split('\n').filter((line) => /^[^#]/u.test(line));
    const parts: Uint8Array[] = [];
    for (const segment of segments) {
      const response = await fetch(new URL(segment, new URL(variant!, master)));
      parts.push(new Uint8Array(await response.arrayBuffer()));
    }
    const path = join(service.scratch, 'web.ts');
    writeFileSync(path, Buffer.concat(parts));
    return path;
  }

  /** The first of two blackouts is silent, and the sound of the programme is under the second. */
  function assertSound(path: string, numbers: (number | undefined)[]): void {
    const times = timesIn(path);
    const dark = numbers.flatMap((number, at) => (number === undefined ? [times[at]!] : []));
    const second = dark.findIndex((time, at) => at > 0 && time - dark[at - 1]! > 1.5 / COUNTED_FPS);
    const beeps = beepsIn(path);
    const heard = (from: number, to: number): number =>
      beeps.filter((time) => time > from + 0.1 && time < to - 0.1).length;
    assert.equal(heard(dark[0]!, dark[second - 1]!), 0, 'the first is silent');
    assert.ok(heard(dark[second]!, dark.at(-1)!) >= 1, 'the second is not');
  }

  it('the source of a broadcast is switched on air, and back', async (t) => {
    for (const at of [1, 0]) {
      const isIt = ({ number }: Seen): boolean => number !== undefined && number >= PICTURES === (at === 1);
      const from = viewer.seen.length;
      await change(t, 'runtimeOptions/sourceSwitch', { channelId: sources[at]!.channelId }, isIt);
      const covered = viewer.seen.slice(from).filter(({ slate, black }) => slate || black);
      assert.deepEqual(covered, [], 'one follows the other');
    }
  });

  for (const [at, name] of ['RTMP pusher', 'SRT caller'].entries())
    it(`a killed ${name} gives its last picture, then a slate, and plays again when it is back`, async (t) => {
      const one = sources[at]!;
      if (at === 1)
        await change(
          t,
          'runtimeOptions/sourceSwitch',
          { channelId: one.channelId },
          (seen) => seen.number! >= PICTURES,
        );
      const [from, killed] = [viewer.seen.length, performance.now()];
      await endPlayer(one.player);
      const slate = await viewer.first('the slate', killed, (seen) => seen.slate);
      await stays('slate', (seen) => seen.slate);
      one.player = one.play();
      const back = performance.now();
      const returned = await viewer.first('the source', back, ({ number }) => number !== undefined);
      const [gone, after] = [(slate.at - killed) / 1000, (returned.at - back) / 1000];
      t.diagnostic(`slate ${gone.toFixed(2)} s after the kill, back ${after.toFixed(2)} s after its return`);
      const before = viewer.seen.slice(from, viewer.seen.indexOf(slate));
      assert.ok(before.length > 0 && before.every(({ number }) => number !== undefined), 'its last picture is held');
      assert.equal(await kinds('encoder_restarted'), 0);
    });

  async function kinds(kind: string): Promise<number> {
    const { body } = await service.rest('GET', `/livestreams/${livestreamId}/events`);
    return (body.rows as { kind: string }[]).filter((event) => event.kind === kind).length;
  }

  it('a killed runner leaves what was changed on air in force, and nothing shows through', async (t) => {
    await change(t, 'runtimeOptions/logo', logo('bug.png'), (seen) => seen.logo);
    await change(t, 'text', text, (seen) => seen.text);
    await change(t, blackout, { mode: 'Black Frame', keepAudio: false }, (seen) => seen.black);
    const runner = (): number | undefined =>
      processesOf(service.scratch).find(({ command }) => /onair\S* runner/u.test(command))?.pid;
    const old = runner()!;
    const killed = performance.now();
    process.kill(old, 'SIGKILL');
    await until('another runner', () => ![old, undefined].includes(runner()));
    await until('published again', async () => (await rtmp.publishing()).includes(STREAM_KEY));
    t.diagnostic(`published again ${((performance.now() - killed) / 1000).toFixed(2)} s after the kill`);
    await viewer.close();
    viewer = new Viewer(`${rtmp.url}/${STREAM_KEY}`);
    const { at } = await viewer.first('a picture', killed, () => true);
    t.diagnostic(`seen again ${((at - killed) / 1000).toFixed(2)} s after the kill`);
    await stays('black', ({ black }) => black);
    assert.ok(
      viewer.seen.every(({ black }) => black),
      'from the first picture on',
    );
    // The pusher hears nothing of the kill and believes itself connected for five seconds.
    const { status, runtime } = await until('the source and the logo are back', async () => {
      const { body } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
      return body.data.source.state === 'up' && body.data.runtime.logo !== null && body.data;
    });
    assert.deepEqual(
      [status, runtime.logo.filename, runtime.text, runtime.blackout, runtime.source],
      [2, 'bug.png', 'LIVE', 'Black Frame', sources[1]!.channelId],
    );
    const isAll = (seen: Seen): boolean => seen.logo && seen.text && (seen.number ?? 0) >= PICTURES;
    await change(t, blackout, { mode: 'Live' }, isAll);
  });
});

/**
 * A blackout hides the numbers: its pictures get those that they would have, when their count is right. Where a late source made the encoder
 * hold a picture in it, there are more pictures than numbers, and the last number stands for the rest. A number that fits neither the
 * picture before nor the next counts as hidden: an encoder may spend too few bits on the first picture after black for it to be read.
 */
function bridged(numbers: readonly (number | undefined)[]): (number | undefined)[] {
  const next = (number: number | undefined): number | undefined => number && (number + 1) % PICTURES;
  const follows = (number: number | undefined, before: number | undefined): boolean =>
    number === before || number === next(before);
  const whole = numbers.map((number, at) =>
    at > 0 && !follows(number, numbers[at - 1]) && !follows(numbers[at + 1], number) ? undefined : number,
  );
  for (const [at, number] of whole.entries()) {
    const before = whole[at - 1];
    if (number !== undefined || before === undefined) continue;
    const end = whole.findIndex((known, later) => later > at && known !== undefined);
    const left = end === -1 ? Infinity : (whole[end]! - before - 1 + PICTURES) % PICTURES;
    whole[at] = left === 0 ? before : (before + 1) % PICTURES;
  }
  return whole;
}

/** The order of the changes. */
function messagesOf(seen: readonly Seen[]): string {
  const words = seen.map(({ number, black, slate }) => {
    if (number !== undefined) return 'counted';
    return black ? 'black' : slate ? 'slate' : 'another picture';
  });
  return words.flatMap((word, at) => (word === words[at - 1] ? [] : `${word} from ${at}`)).join(', ');
}
