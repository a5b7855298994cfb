/** One run to every kind of Destination, each with a real peer, and every change of its picture, sound and cues, seen by viewers. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { publishingCreate } from '../../../domain/shapes/destinations/publishing.ts';
import { SIGNAL_FLAGS } from '../../../domain/shapes/broadcasts/live-picture.ts';
import type { PictureSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { RunChange } from '../../../domain/shapes/changes/run-change.ts';
import { cueBytes } from '../../../device/media/scte35/cue-message.ts';
import { decodeSplice, spliceTicks } from '../../../device/media/scte35/scte35.ts';
import { makeCountedClip, numbersIn } from '../../helpers/counted.ts';
import { freePort } from '../../helpers/ports.ts';
import { webdavMissing } from '../../helpers/servers/webdav.ts';
import { until } from '../../helpers/until.ts';
import { change, type Answer } from './changing.ts';
import { assertDatagrams, assertLossless, stepsBack } from './conservation.ts';
import { decodedStreams } from './decoded-streams.ts';
import { davOrigin, type DavOrigin } from './push-origins.ts';
import { capture, decoded, receive, type Receiver } from './receivers.ts';
import {
  call,
  commandLine,
  everyCommandLine,
  ffprobe,
  folder,
  running,
  startRtmpServer,
  startRunner,
  type RtmpServer,
  type TestRunner,
} from './runner-fixture.ts';
import { broadcast, loudest, makeLogo, screens, type Colour, type Screen } from './screen.ts';
import { suiteScope } from './shared-scope.ts';
import { fileSource, LIVESTREAM_ID, output, QUICK, rendition, runSpec } from './specs.ts';
import { rendered } from './viewing.ts';
import { serveLive } from './web-server.ts';

const KEY = 'canary-4f1d-stream-key';
const PHRASE = 'canary-phrase-of-79';
const USER = { username: 'pusher', password: 'canary-password' };
const [TS, RTMP, RECORD, CMAF, DASH, SRT, LISTENER, UDP, RTP, PUSHED, PASTED] = [
  21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
];
const PICTURES = 900;
const LIVE: PictureSpec['blackout'] = { mode: 'Live', file: null, keepAudio: false };
const AS_IT_COMES = { gain_db: 0, mute: false, delay_ms: 0 };
const isMissing = webdavMissing !== false;

describe('a run to every kind of Destination', () => {
  const scope = suiteScope();
  let dir: string;
  let url: string;
  let runner: TestRunner;
  let rtmp: RtmpServer;
  let origin: DavOrigin | undefined;
  let datagrams: Awaited<ReturnType<typeof capture>>;
  let packets: Awaited<ReturnType<typeof capture>>;
  let listening: Receiver;
  let listenerPort: number;

  const pathOf = async (id: number) =>
    (await runner.report()).publishings.find(({ publishingId }) => publishingId === id)!.primary;
  const playlistOf = (id: number, track: string): string =>
    readFileSync(join(liveDir(dir, LIVESTREAM_ID, id), track, 'index.m3u8'), 'utf8');
  const changed = async (what: RunChange): Promise<Answer> => {
    const answer = await change(runner, what);
    assert.equal(answer.status, 200, answer.detail);
    return answer;
  };
  const show = (picture: Partial<PictureSpec>): Promise<Answer> => changed({ type: 'picture', picture });

  /** The first whole segment for which this holds: what was in the encoder at a change leaves before it. */
  const segmentWith = async (what: string, isSo: (segment: string) => boolean): Promise<string> => {
    let at = rendered(dir).length;
    return until(what, () => {
      const next = rendered(dir)[at];
      if (next === undefined) return false;
      at += 1;
      return isSo(next) && next;
    });
  };
  const picturesAre = (what: string, isSo: (screen: Screen) => boolean): Promise<string> =>
    segmentWith(what, (segment) => screens(segment).every(isSo));

  before(async () => {
    dir = folder(scope);
    rtmp = await startRtmpServer(scope, dir, await freePort());
    origin = isMissing ? undefined : await davOrigin(scope, dir, USER.username, USER.password);
    url = await serveLive(scope, dir);
    [datagrams, packets] = [await capture(scope), await capture(scope)];
    const port = await freePort();
    listenerPort = await freePort();
    // A peer that is seldom woken needs a deep buffer.
    const secret = `passphrase=${PHRASE}&pbkeylen=32&latency=2000000`;
    listening = receive(
      scope,
      `srt://127.0.0.1:${port}?mode=listener&${secret}&enforced_encryption=1`,
      join(dir, 'srt.ts'),
    );
    const srt = {
      ...publishingCreate.settings.parse({}).srt,
      encryption: 256 as const,
      passphrase: PHRASE,
      latency: 2000,
    };
    const live = `rtmp://127.0.0.1:${rtmp.port}/live`;
    const outputs = [
      output(TS, 'HLS / TS', QUICK.output),
      output(RTMP, 'RTMP', { url: live, stream_key: KEY }),
      output(RECORD, 'Record'),
      output(CMAF, 'CMAF', { segment_duration: 1, playlist_length: 120 }),
      output(DASH, 'DASH', { segment_duration: 1, playlist_length: 120 }),
      output(SRT, 'SRT', { url: `srt://127.0.0.1:${port}`, srt }),
      output(LISTENER, 'SRT', { url: `srt://127.0.0.1:${listenerPort}?mode=listener`, srt }),
      output(UDP, 'STREAM', { url: `udp://127.0.0.1:${datagrams.port}` }),
      output(RTP, 'STREAM', { url: `rtp://127.0.0.1:${packets.port}` }),
      ...(origin === undefined
        ? []
        : [
            output(PUSHED, 'HLS / TS', {
              ...USER,
              url: `webdav://127.0.0.1:${origin.port}/ts/news.m3u8`,
              playlist_length: 4,
            }),
          ]),
      output(PASTED, 'RTMP', { url: `${live}/${KEY}-pasted` }, { qualities: [12] }),
    ];
    const renditions = [rendition(11, 320, 180, 800, QUICK.rendition), rendition(12, 160, 90, 100, QUICK.rendition)];
    const source = fileSource(makeCountedClip(join(dir, 'counted.mp4'), PICTURES));
    runner = startRunner(scope, dir, runSpec('ladder', source, outputs, { renditions, startTimeoutSeconds: 60 }));
    await running(runner);
    await until('every Destination is up', async () =>
      (await runner.report()).publishings.every(({ primary }) => primary.state === 'up'),
    );
  });

  it('datagrams by UDP and by RTP come whole, in order and each once', async () => {
    await until('datagrams', () => datagrams.datagrams.length > 200 && packets.datagrams.length > 200);
    await assertDatagrams(dir, datagrams, packets);
  });

  it('an RTMP server has each path by its key, and no secret is in a process list, a log, a report or a file of the run', async () => {
    const names = (await rtmp.publishers()).map(({ name }) => name);
    assert.deepEqual(names.toSorted(), [KEY, `${KEY}-pasted`]);
    assert.ok(!everyCommandLine().replaceAll(commandLine(listening.process.pid!), '').includes('canary-4f1d'));
    for (const { pid } of runner.children()) assert.ok(!commandLine(pid).includes('canary'));
    assert.ok(!JSON.stringify([await runner.report(), runner.events()]).includes('canary'));
    for (const file of [runner.files.events, runner.files.log, runner.files.state])
      assert.ok(!readFileSync(file, 'utf8').includes('canary'), file);
    assert.deepEqual(
      readdirSync(runner.files.dir).filter((name) => name.endsWith('.preset')),
      [],
    );
  });

  it('SRT is decoded by a peer that is called and by one that calls, both encrypted', async () => {
    const calling = receive(
      scope,
      `srt://127.0.0.1:${listenerPort}?mode=caller&latency=2000000&passphrase=${PHRASE}&pbkeylen=32`,
      join(dir, 'called.ts'),
    );
    for (const { path, bytes } of [listening, calling]) {
      await until(`media in ${path}`, () => bytes() > 100_000);
      const { video, audio } = await decoded(path);
      assert.ok(video > 10 && audio > 10, `${path}: ${video} ${audio}`);
    }
    await calling.stop();
    assert.equal((await pathOf(LISTENER)).attempts, 0);
  });

  it('HLS / TS is pushed to a WebDAV origin, played from there, and not served', { skip: webdavMissing }, async () => {
    const list = join(origin!.files, 'ts/11/index.m3u8');
    const listed = (): string[] => (existsSync(list) ? (readFileSync(list, 'utf8').match(/^\d.*\.ts$/gmu) ?? []) : []);
    await until('what has left the window is deleted', () => {
      const names = existsSync(list) ? readdirSync(join(origin!.files, 'ts/11')) : [];
      return listed().length === 4 && !names.some((name) => name.startsWith('0-'));
    });
    const streams = ffprobe(
      `http://127.0.0.1:${origin!.port}/ts/news.m3u8`,
      '-show_entries',
      'stream=codec_name,width',
    );
    assert.match(streams, /h264\|width=320/u);
    assert.equal(existsSync(liveDir(dir, LIVESTREAM_ID, PUSHED)), false);
    assert.deepEqual(
      (await runner.report()).watch.map(({ path }) => path),
      [`/live/7/${TS}/index.m3u8`, `/live/7/${CMAF}/index.m3u8`, `/live/7/${DASH}/manifest.mpd`],
    );
  });

  it('segments are as long as they were asked to be', async () => {
    for (const [id, track, expected] of [
      [TS, '12', QUICK.output.segment_duration],
      [CMAF, '256', 1],
    ] as const) {
      const lengths = await until('ten segments', () => {
        const listed = [...playlistOf(id, track).matchAll(/#EXTINF:([\d.]+)/gu)].map(([, seconds]) => Number(seconds));
        return listed.length >= 10 && listed;
      });
      assert.ok(
        lengths.slice(1).every((seconds) => Math.abs(seconds - expected) <= 0.1),
        `${lengths}`,
      );
    }
    const manifest = readFileSync(join(liveDir(dir, LIVESTREAM_ID, DASH), 'manifest.mpd'), 'utf8');
    assert.match(manifest, /timescale="90000"[\s\S]*?<S d="90000"/u);
  });

  it('logo and text lie where they are put, are in the preview, and go again', async () => {
    const path = makeLogo(join(dir, 'red.png'), 480, 240, [255, 0, 0]);
    const processes = (): number[] => ['pipe:5', 'stream_loop'].map((part) => runner.childNamed(part));
    const untouched = processes();
    const hasLogo = (screen: Screen): boolean => screen.colour(16, 10, 36, 24)[2] > 190;
    const hasText = (screen: Screen): boolean => screen.brightest(90, 140, 140, 36) > 200;
    try {
      const text = { text: 'LIVE %C', position: 'Bottom', size: 108, color: '#ffffff' } as const;
      const logo = { filename: 'red.png', path, position: 'Top-Left' } as const;
      // Both at once: neither may undo the other.
      const [, { report }] = await Promise.all([show({ logo }), show({ text })]);
      assert.equal(report.runtime.text, text.text);
      await picturesAre('logo and text', (screen) => hasLogo(screen) && hasText(screen));
      const { jpeg } = JSON.parse(await call(runner.files.socket, 'GET', '/preview?width=1920')) as { jpeg: string };
      const still = join(dir, 'still.jpg');
      writeFileSync(still, Buffer.from(jpeg, 'base64'));
      assert.equal(ffprobe(still, '-show_entries', 'stream=width,height').trim(), 'width=320|height=180');
      assert.ok(hasLogo(screens(still)[0]!));
      const refused = await change(runner, {
        type: 'picture',
        picture: { logo: { ...logo, path: join(dir, 'none.png') } },
      });
      assert.match(refused.detail!, /ENOENT/u);
    } finally {
      await show({ logo: null, text: null });
    }
    await picturesAre('neither', (screen) => !hasLogo(screen) && !hasText(screen));
    assert.deepEqual(processes(), untouched, 'neither ingest nor encoder was touched');
  });

  it('a blackout is black and silent, its flag is told with the picture of the page, and the programme comes back', async () => {
    const isBlack = (screen: Screen): boolean => {
      const black: Colour = [16, 128, 128];
      return screen.colour(0, 0, 320, 180).every((value, i) => Math.abs(value - black[i]!) <= 2);
    };
    try {
      await show({ blackout: { ...LIVE, mode: 'Black Frame' } });
      await segmentWith('black and silence', (path) => screens(path).every(isBlack) && loudest(path) < -70);
      const { flags, width } = JSON.parse(await call(runner.files.socket, 'GET', '/picture?width=320')) as {
        flags: number;
        width: number;
      };
      assert.deepEqual([flags & SIGNAL_FLAGS.blackout, width], [SIGNAL_FLAGS.blackout, 320]);
    } finally {
      await show({ blackout: LIVE });
    }
    await segmentWith('the programme', (path) => !screens(path).some(isBlack));
  });

  it('sound is muted and heard again, and the levels are those of the source', async () => {
    const set = (sound: typeof AS_IT_COMES): Promise<Answer> => changed({ type: 'options', options: { sound } });
    const encoder = runner.childNamed('pipe:5');
    try {
      await set({ ...AS_IT_COMES, mute: true, gain_db: 20 });
      await segmentWith('silence', (path) => loudest(path) <= -90);
      await until('levels of the source', async () => {
        const [levels] = (await runner.report()).source.levels ?? [];
        return levels !== undefined && levels.peak_dbfs[0]! > -7;
      });
    } finally {
      await set(AS_IT_COMES);
    }
    await segmentWith('a beep', (path) => loudest(path) > -30);
    assert.equal(runner.childNamed('pipe:5'), encoder);
  });

  it('a break and a tag are at the same instant in every list, and in the transport stream', async () => {
    await changed({ type: 'cue', cue: { type: 'CueOut', duration: 1, id: 77 } });
    await changed({ type: 'cue', cue: { type: 'ID3Tag', name: 'song', value: 'Hello' } });
    const second = await change(runner, { type: 'cue', cue: { type: 'CueIn', id: 99 } });
    assert.equal(second.code, 'rule_violated');
    const cues = () => runner.events().filter(({ data }) => data.change === 'cue');
    const back = await until('its end by itself', () => cues().find(({ data }) => data.automatic === true));
    const out = cues()[0]!;
    const seconds = (back.data.pts_seconds as number) - (out.data.pts_seconds as number);
    assert.ok(Math.abs(seconds - 1) < 0.001, 'in the time of the media');
    for (const [id, track] of [
      [TS, '12'],
      [CMAF, '256'],
    ] as const) {
      const text = await until('its end is listed', () => {
        const now = playlistOf(id, track);
        return now.includes('SCTE35-IN=') && now;
      });
      assert.ok(text.includes('#EXT-X-CUE-OUT:1.000') && text.includes('#EXT-X-CUE-IN'));
      const [, section] = /SCTE35-OUT=(0x[0-9A-F]+)/u.exec(text)!;
      const ticks = spliceTicks(decodeSplice(cueBytes(section!)!).info!);
      assert.equal(ticks, Math.round((out.data.pts_seconds as number) * 90_000));
    }
    const manifest = readFileSync(join(liveDir(dir, LIVESTREAM_ID, DASH), 'manifest.mpd'), 'utf8');
    assert.match(manifest, /urn:scte:scte35:2014:xml\+bin/u);
  });

  it('a Destination that is turned off and on again goes on, and the others keep their connections', async () => {
    const paths = (enabled: boolean): Promise<Answer> =>
      changed({ type: 'paths', paths: [{ publishingId: PASTED, primary: enabled }] });
    const connection = async (): Promise<string | undefined> =>
      (await rtmp.publishers()).find(({ name }) => name === KEY)?.client;
    const mine = await connection();
    try {
      await paths(false);
      await until('it has left', async () => (await rtmp.publishers()).length === 1);
    } finally {
      await paths(true);
    }
    await until('it is back', async () => (await pathOf(PASTED)).state === 'up');
    assert.equal(await connection(), mine);
    assert.deepEqual(
      runner.events().filter(({ kind, data }) => kind === 'destination_down' && data.publishingId !== SRT),
      [],
    );
  });

  it('after the stop every Destination has the same pictures, in order', async () => {
    const { encodings } = await runner.report();
    await runner.stop();
    assert.equal(await runner.exited, 0);
    assert.deepEqual(runner.left(), []);
    assert.ok(!existsSync(runner.files.socket));
    const seqs = runner.events().map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      seqs.map((_, i) => i + 1),
    );
    const [recording] = readdirSync(recordingsDir(dir, LIVESTREAM_ID));
    const recorded = join(recordingsDir(dir, LIVESTREAM_ID), recording!);
    assert.deepEqual(ffprobe(recorded, '-show_entries', 'stream=codec_name,width').trim().split('\n'), [
      'codec_name=h264|width=320',
      'codec_name=h264|width=160',
      'codec_name=aac',
    ]);
    const viewed = numbersIn(broadcast(dir));
    assert.deepEqual(stepsBack(viewed, PICTURES), []);
    for (const [what, input] of [
      ['Record', recorded],
      ['CMAF', `${url}/live/7/${CMAF}/index.m3u8`],
      ['DASH', `${url}/live/7/${DASH}/manifest.mpd`],
    ] as const) {
      if (what === 'Record') assertLossless(numbersIn(input), viewed, what);
      else {
        const { streams } = await decodedStreams(input);
        const counts = streams.filter(({ codec }) => codec === 'h264').map(({ frames }) => frames);
        assert.equal(counts.length, 2);
        assert.equal(counts[0], counts[1], what);
      }
    }
    assert.ok(playlistOf(TS, '11').includes('#EXT-X-ENDLIST') && playlistOf(CMAF, '256').includes('#EXT-X-ENDLIST'));
    assert.ok(!playlistOf(TS, '11').includes('DISCONTINUITY\n'));
    assert.equal(encodings.length, 2);
  });
});
