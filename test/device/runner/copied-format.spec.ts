/** A copied source that is coded in another way from one keyframe on: every output begins anew there, and shows all that came. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { elementaryBytes, PACKET_BYTES, pidOf, startsUnit } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { isForeign } from '../../../device/media/codecs/foreign-codec.ts';
import { ProgramReader } from '../../../device/media/mpeg-ts/program-reader.ts';
import { CopiedFormatWatch, type CopiedFormat } from '../../../device/runner/stream/copied-format.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { itLong } from '../../helpers/counts.ts';
import { HLS } from '../../helpers/hls.ts';
import { playerPages } from '../../helpers/player-page.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { feed } from './feeder.ts';
import { capture, continuityErrors } from './receivers.ts';
import { picturesIn, rtmpSink } from './rtmp-sink.ts';
import { folder, running, startRtmpServer, startRunner, type TestRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, rendition, runSpec, source } from './specs.ts';
import { serveLive } from './web-server.ts';

const [VIDEO, AUDIO] = [0x100, 0x101];
const DELIMITER = Buffer.from('0000000109f0', 'hex');
/** Sequence parameter sets of two sizes. */
const SETS = {
  '160x90': Buffer.from('000000016742c00ada0a37e4c044000003000400000300503c489a80', 'hex'),
  '128x96': Buffer.from('000000016742c00ada0836c044000003000400000300503c489a80', 'hex'),
} as const;
const SLICE = Buffer.from('0000000165888400', 'hex');
/** ADTS of 48 kHz stereo, and of 44.1 kHz mono. */
const SOUNDS = {
  stereo: Buffer.from('fff14c8002bffc21', 'hex'),
  mono: Buffer.from('fff1504002bffc21', 'hex'),
} as const;

/** One packet of a track; `bytes` is what a PES unit begins with, or how it goes on. */
function packet(pid: number, starts: boolean, bytes: Buffer): Buffer {
  const data = Buffer.alloc(PACKET_BYTES, 0xff);
  const header = starts ? Buffer.from([0, 0, 1, pid === VIDEO ? 0xe0 : 0xc0, 0, 0, 0x80, 0, 0]) : Buffer.alloc(0);
  const payload = Buffer.concat([header, bytes]);
  data.set([0x47, (starts ? 0x40 : 0) | (pid >> 8), pid & 0xff, 0x30, PACKET_BYTES - 5 - payload.length, 0]);
  payload.copy(data, PACKET_BYTES - payload.length);
  return data;
}

/** Runs such as `0 160x90`, `10 p`, `20 stereo` (time in ms, and what it is) as they pass, and the changes between them. */
function passed(runs: readonly string[], hasVideo = true): string[] {
  const log: string[] = [];
  const names = new Map<Buffer, string>();
  const wordsOf = ({ width, height, audio }: CopiedFormat): string =>
    [...(width === undefined ? [] : [`${width}x${height}`]), ...audio.map(({ channels }) => `${channels} ch`)].join();
  const streams = new Map([
    [VIDEO, { pid: VIDEO, type: 0x1b, descriptors: Buffer.alloc(0) }],
    [AUDIO, { pid: AUDIO, type: 0x0f, descriptors: Buffer.alloc(0) }],
  ]);
  const watch = new CopiedFormatWatch(hasVideo ? [VIDEO] : [], hasVideo ? VIDEO : AUDIO, streams, {
    pass: ({ bytes }) => log.push(names.get(bytes)!),
    onChange: (from, to) => log.push(`${wordsOf(from)} -> ${wordsOf(to)}`),
    onForeign: (pid) => log.push(`foreign ${pid === VIDEO ? 'picture' : 'sound'}`),
  });
  for (const run of runs) {
    const [ms, what] = run.split(' ') as [string, string];
    const sound = SOUNDS[what as keyof typeof SOUNDS];
    const sets = SETS[what as keyof typeof SETS];
    const starts = !['rest'].includes(what);
    const whole = sets === undefined ? SLICE : Buffer.concat([DELIMITER, sets, ...(what === 'cut' ? [] : [SLICE])]);
    const bytes =
      sound !== undefined
        ? packet(AUDIO, true, sound)
        : what === 'cut'
          ? packet(VIDEO, true, Buffer.concat([DELIMITER, SETS['128x96']]))
          : packet(VIDEO, starts, whole);
    names.set(bytes, run);
    const key = sound !== undefined || sets !== undefined || what === 'cut' || what === 'key';
    watch.take({ pid: pidOf(bytes, 0), bytes, starts, key, pts: starts ? Number(ms) * 90 : undefined });
  }
  watch.newWriter();
  return log;
}

test('a change of a copied source begins at a keyframe, with its sound', () => {
  const before = ['0 160x90', '5 stereo', '40 p'];
  const change = '160x90,2 ch -> 128x96,1 ch';
  const cases: [string, string[], string[]][] = [
    ['sets that are sent again', ['80 160x90', '85 stereo', '120 p'], ['80 160x90', '85 stereo', '120 p']],
    ['a keyframe without sets', ['80 key', '85 stereo'], ['80 key', '85 stereo']],
    [
      'the picture alone',
      ['80 128x96', '85 stereo', '480 p'],
      ['160x90,2 ch -> 128x96,2 ch', '80 128x96', '85 stereo', '480 p'],
    ],
    [
      'sets in packets of their own',
      ['80 cut', '80 rest', '85 stereo'],
      ['160x90,2 ch -> 128x96,2 ch', '80 cut', '80 rest', '85 stereo'],
    ],
    [
      'both, the sound a little later',
      ['80 128x96', '85 stereo', '100 mono', '120 p', '480 p', '500 mono'],
      [change, '80 128x96', '100 mono', '120 p', '480 p', '500 mono'],
    ],
    [
      'both, the sound a little earlier',
      ['60 mono', '80 128x96', '85 mono', '480 p'],
      [change, '80 128x96', '85 mono', '480 p'],
    ],
    [
      'the sound alone, which waits for a keyframe',
      ['60 mono', '80 p', '90 mono', '120 160x90', '130 mono', '480 p', '490 mono'],
      ['80 p', '160x90,2 ch -> 160x90,1 ch', '120 160x90', '130 mono', '480 p', '490 mono'],
    ],
    ['sound that comes back', ['60 mono', '80 stereo', '120 160x90'], ['80 stereo', '120 160x90']],
    [
      'one change after the other',
      ['80 128x96', '85 stereo', '480 160x90', '485 stereo', '900 p'],
      [
        '160x90,2 ch -> 128x96,2 ch',
        '80 128x96',
        '85 stereo',
        '128x96,2 ch -> 160x90,2 ch',
        '480 160x90',
        '485 stereo',
        '900 p',
      ],
    ],
  ];
  for (const [name, runs, expected] of cases)
    assert.deepEqual(passed([...before, ...runs]), [...before, ...expected], name);
  const sound = ['0 stereo', '20 stereo', '40 mono', '60 mono'];
  assert.deepEqual(passed(sound, false), [...sound.slice(0, 2), '2 ch -> 1 ch', ...sound.slice(2)], 'sound alone');
});

test('a track that another codec takes over on its PID is known by what ffmpeg makes of it, and left out', () => {
  const part = (video: string, audio: string, from: number): Buffer => {
    const picture = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=64x64:rate=10',
      '-c:v',
      video,
      '-g',
      '5',
      '-pix_fmt',
      'yuv420p',
    ];
    const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000', '-c:a', audio];
    const [inputs, codecs] = [
      [...picture.slice(0, 4), ...sound.slice(0, 4)],
      [...picture.slice(4), ...sound.slice(4)],
    ];
    const to = ['-t', '2', '-output_ts_offset', String(from), '-f', 'mpegts', 'pipe:1'];
    return execFileSync('ffmpeg', ['-v', 'quiet', ...inputs, ...codecs, ...to]);
  };
  const forms = [
    ['libx264', 'aac'],
    ['libx265', 'aac'],
    ['mpeg2video', 'aac'],
    ['libx264', 'mp2'],
    ['libx264', 'ac3'],
  ] as const;
  const [first, second] = [1, 3].map((from) => forms.map(([video, audio]) => part(video, audio, from)));
  for (const [i, before] of forms.entries())
    for (const [j, after] of forms.entries()) {
      const wanted = ['picture', 'sound'].filter((_, n) => before[n] !== after[n]);
      // ffmpeg's parser of AC-3 gives out nothing else.
      if (wanted.length !== 1 || before[1] === 'ac3') continue;
      const input = Buffer.concat([first![i]!, second![j]!]);
      const args = ['-v', 'quiet', '-f', 'mpegts', '-i', 'pipe:0', '-map', '0', '-c', 'copy', '-f', 'mpegts', 'pipe:1'];
      const found = foreignTracks(execFileSync('ffmpeg', args, { input }));
      assert.deepEqual(found, wanted, `${before.join(' ')} -> ${after.join(' ')}`);
    }
});

/** The tracks in which units are of another codec than the tables say. */
function foreignTracks(bytes: Buffer): string[] {
  const tables = new ProgramReader();
  const [types, found] = [new Map<number, number>(), new Set<number>()];
  let unit: { pid: number; parts: Buffer[] } | undefined;
  const finish = (): void => {
    if (unit !== undefined && isForeign(types.get(unit.pid) ?? 0, Buffer.concat(unit.parts))) found.add(unit.pid);
  };
  for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
    for (const { streams = [] } of tables.push(bytes, at)) for (const { pid, type } of streams) types.set(pid, type);
    const pid = pidOf(bytes, at);
    if (!types.has(pid)) continue;
    if (startsUnit(bytes, at)) {
      finish();
      unit = { pid, parts: [] };
    }
    if (unit?.pid === pid) unit.parts.push(elementaryBytes(bytes, at));
  }
  finish();
  return ['picture', 'sound'].filter((_, n) => found.has(VIDEO + n));
}

interface Form {
  size: string;
  rate: number;
  channels: number;
}
const WIDE: Form = { size: '128x72', rate: 48_000, channels: 2 };
const TALL: Form = { size: '72x128', rate: 44_100, channels: 1 };

/** Media with a keyframe each half second. */
function made({ size, rate, channels }: Form, seconds: number, ...to: string[]): Buffer {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=10`];
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=${rate}`];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '5', '-pix_fmt', 'yuv420p'];
  const audio = ['-c:a', 'aac', '-b:a', '48k', '-ac', String(channels), '-ar', String(rate)];
  const args = ['-v', 'error', ...picture, ...sound, '-t', String(seconds), ...codecs, ...audio, ...to, 'pipe:1'];
  return execFileSync('ffmpeg', args);
}

/** The tags of FLV at another time. */
function shifted(tags: Buffer, ms: number): Buffer {
  const bytes = Buffer.from(tags);
  for (let at = 0; at < bytes.length; at += 15 + bytes.readUIntBE(at + 1, 3)) {
    const time = bytes.readUIntBE(at + 4, 3) + ms;
    bytes.writeUIntBE(time & 0xffffff, at + 4, 3);
  }
  return bytes;
}

const FLV_HEADER_BYTES = 13;

interface Encoder {
  form: Form;
  /** Seconds of each form. */
  sent: Map<Form, number>;
  kill(): void;
}

/** Sends one second after the other in the form that is set, each with its sequence headers. */
function encoder(t: TestScope, first: Form, ...to: string[]): Encoder {
  const seconds = new Map([WIDE, TALL].map((form) => [form, made(form, 1, '-f', 'flv')]));
  const child = spawn('ffmpeg', ['-v', 'error', '-re', '-f', 'flv', '-i', 'pipe:0', '-c', 'copy', ...to], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  cleanUp(t, kill);
  child.stdin.on('error', () => undefined);
  const own: Encoder = { form: first, sent: new Map(), kill };
  let ms = 0;
  const next = (error?: Error | null): void => {
    if (error) return;
    own.sent.set(own.form, (own.sent.get(own.form) ?? 0) + 1);
    const file = seconds.get(own.form)!;
    // The header of the file comes once.
    const tags = shifted(file.subarray(FLV_HEADER_BYTES), ms);
    child.stdin.write(ms === 0 ? Buffer.concat([file.subarray(0, FLV_HEADER_BYTES), tags]) : tags, next);
    ms += 1000;
  };
  next();
  return own;
}

/** Pictures as a decoder shows them, which has no complaint: how many of each size, in order. */
function picturesOf(path: string): string[] {
  const show = ['-select_streams', 'v:0', '-show_entries', 'frame=width,height', '-of', 'compact=p=0', path];
  const { stdout, stderr } = spawnSync('ffprobe', ['-v', 'error', ...show], { encoding: 'utf8' });
  assert.equal(stderr, '', `the decoder of ${path}`);
  const sizes = stdout.match(/\d+\|height=\d+/gu) ?? [];
  const counts: [string, number][] = [];
  for (const size of sizes.map((text) => text.replace('|height=', 'x')))
    if (counts.at(-1)?.[0] === size) counts.at(-1)![1] += 1;
    else counts.push([size, 1]);
  return counts.map(([size, count]) => `${count} of ${size}`);
}

const COPY = (() => {
  const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
  return [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
})();
const SEGMENTS = { segment_duration: 1, playlist_length: 500 };

function playlistOf(dir: string, publishingId: number, track: string): HLS.types.MediaPlaylist {
  const path = join(liveDir(dir, LIVESTREAM_ID, publishingId), track, 'index.m3u8');
  return HLS.parse(
    existsSync(path) ? readFileSync(path, 'utf8') : '#EXTM3U\n#EXT-X-TARGETDURATION:1\n',
  ) as HLS.types.MediaPlaylist;
}

async function changes(runner: TestRunner, count: number): Promise<void> {
  await until(
    `change ${count}`,
    () => runner.events().filter(({ kind }) => kind === 'source_format_changed').length >= count,
  );
}

const KEY = 'canary-key-1';

test('a pushed source that changes in mid-stream, and for a reconnect, is shown by every type of Destination without a loss', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const call = (form: Form): Encoder => encoder(t, form, '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
  const sender = call(WIDE);
  await until('receiving', async () => (await push.report(from.channelId)).video !== null);
  const sink = await rtmpSink(t);
  const received = await capture(t);
  const outputs = [
    output(21, 'HLS / TS', SEGMENTS),
    output(22, 'CMAF', SEGMENTS),
    output(31, 'RTMP', { url: `rtmp://127.0.0.1:${sink.port}/live`, stream_key: 'k' }),
    output(32, 'STREAM', { url: `udp://127.0.0.1:${received.port}` }),
    output(41, 'Record'),
  ];
  const spec = runSpec('turned', from, outputs, { renditions: COPY, startTimeoutSeconds: 120 });
  const runner = startRunner(t, dir, spec);
  await running(runner);
  await until('a recording', () => runner.events().some(({ kind }) => kind === 'recording_opened'));
  await until('segments', () => playlistOf(dir, 22, '256').segments.length > 2);
  sender.form = TALL;
  await changes(runner, 1);
  sender.form = WIDE;
  await changes(runner, 2);
  sender.kill();
  await until('it is lost', () => runner.events().some(({ kind }) => kind === 'source_lost'));
  call(TALL);
  await changes(runner, 3);
  const known = playlistOf(dir, 22, '256').segments.length;
  await until('more segments', () => playlistOf(dir, 22, '256').segments.length > known + 2);
  await runner.stop();
  assert.equal(await runner.exited, 0);

  const reports = runner.events().filter(({ kind }) => kind === 'source_format_changed');
  const [wide, tall] = [WIDE, TALL].map(({ size, rate, channels }) => {
    const [width, height] = size.split('x').map(Number);
    return { codec: 'h264', width, height, audio: [{ codec: 'aac', channels, sample_rate: rate }] };
  });
  const forms = [wide, tall, wide, tall];
  assert.deepEqual(
    reports.map(({ data }) => [data['from'], data['to']]),
    [0, 1, 2].map((i) => [forms[i], forms[i + 1]]),
  );
  const all = 10 * sender.sent.get(TALL)!;
  const assertShown = (name: string, pictures: readonly string[]): void => {
    const sizes = pictures.map((text) => text.replace(/^\d+ of /u, ''));
    assert.deepEqual([name, ...sizes], [name, WIDE.size, TALL.size, WIDE.size, TALL.size]);
    assert.deepEqual([name, pictures[1]], [name, `${all} of ${TALL.size}`]);
    // It begins with a keyframe, and nothing is missing before the change.
    assert.equal(Number.parseInt(pictures[0]!, 10) % 5, 0, `${name}: ${pictures.join(', ')}`);
  };
  const folderOf = (id: number): string => liveDir(dir, LIVESTREAM_ID, id);
  assertShown('HLS', picturesOf(join(folderOf(21), '11/index.m3u8')));
  assertShown('CMAF', picturesOf(join(folderOf(22), '256/index.m3u8')));
  const { annexB, configurations } = picturesIn(sink.messages);
  writeFileSync(join(dir, 'rtmp.h264'), annexB);
  assertShown('RTMP', picturesOf(join(dir, 'rtmp.h264')));
  const sounds = sink.messages
    .filter(({ type, body }) => type === 8 && body[1] === 0)
    .map(({ body }) => body.toString('hex', 2));
  assert.deepEqual(sounds, ['1190', '1208', '1190', '1208']);
  assert.deepEqual([configurations, sink.messages.filter(({ type }) => type === 18).length], [4, 4]);
  const packets = Buffer.concat(received.datagrams.map(({ data }) => data));
  writeFileSync(join(dir, 'stream.ts'), packets);
  assertShown('STREAM', picturesOf(join(dir, 'stream.ts')));
  assert.equal(continuityErrors(packets), 0);
  const marked = [0x100, 0x101].map((pid) => {
    let count = 0;
    for (let at = 0; at < packets.length; at += PACKET_BYTES)
      if (pidOf(packets, at) === pid && (packets[at + 3]! & 0x20) !== 0 && packets[at + 4]! > 0)
        count += packets[at + 5]! >> 7;
    return count;
  });
  assert.deepEqual(marked, [3, 3], 'discontinuity_indicator');
  const parts = readdirSync(recordingsDir(dir, LIVESTREAM_ID)).sort();
  assertShown(
    'Record',
    parts.flatMap((name) => picturesOf(join(recordingsDir(dir, LIVESTREAM_ID), name))),
  );
  assert.equal(parts.length, 4);

  for (const [id, track] of [
    [21, '11'],
    [22, '256'],
    [22, '257'],
  ] as const) {
    const breaks = playlistOf(dir, id, track).segments.filter(({ discontinuity }) => discontinuity);
    assert.equal(breaks.length, 3, `${id} ${track}`);
    if (id === 22) assert.equal(new Set(playlistOf(dir, id, track).segments.map(({ map }) => map?.uri)).size, 4);
  }
  const manifest = readFileSync(join(folderOf(22), 'manifest.mpd'), 'utf8');
  const periods = [...manifest.matchAll(/width="(\d+)" height="(\d+)"[\s\S]*?audioSamplingRate="(\d+)"/gu)];
  assert.deepEqual(
    periods.map(([, width, height, rate]) => [`${width}x${height}`, Number(rate)]),
    [WIDE, TALL, WIDE, TALL].map(({ size, rate }) => [size, rate]),
  );
});

/** The complaints of mpv while it plays all of it, at its pace: its silent output does not go on over another rate of sound without time. */
async function complaintsOfMpv(t: TestScope, path: string): Promise<string> {
  const quietly = ['--no-config', '--load-scripts=no', '--vo=null', '--ao=null', '--msg-level=all=error'];
  const child = spawn('mpv', [...quietly, path], { stdio: ['ignore', 'pipe', 'pipe'] });
  cleanUp(t, () => void child.kill('SIGKILL'));
  let words = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (text: Buffer) => (words += text.toString()));
  await until(`mpv has played ${path}`, () => child.exitCode !== null, { boundMs: 300_000, everyMs: 250 });
  return `${words}${child.exitCode === 0 ? '' : `It ended with ${child.exitCode}.`}`;
}

itLong('players that watch a copied source go on over its changes, and what was recorded plays through', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const from = source('RTMP-Push', { app: 'live', stream_key: KEY, port });
  const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: KEY }));
  const sender = encoder(t, WIDE, '-f', 'flv', `rtmp://127.0.0.1:${port}/live/${KEY}`);
  await until('receiving', async () => (await push.report(from.channelId)).video !== null);
  const outputs = [output(21, 'HLS / TS', SEGMENTS), output(22, 'CMAF', SEGMENTS), output(41, 'Record')];
  const runner = startRunner(t, dir, runSpec('watched', from, outputs, { renditions: COPY, startTimeoutSeconds: 120 }));
  await running(runner);
  await until('segments', () => playlistOf(dir, 22, '256').segments.length > 3);
  const base = `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}`;
  const pages = await playerPages();
  cleanUp(t, () => pages.close());
  const ways = ['21/index.m3u8', '22/index.m3u8'];
  const viewers = await Promise.all(ways.map((path) => pages.watch('hls.js', `${base}/${path}`)));
  for (const [at, form] of [WIDE, TALL, WIDE].entries()) {
    sender.form = form;
    await changes(runner, at);
    for (const [n, viewer] of viewers.entries()) {
      const seen = async (): Promise<number | false> => {
        const { frames, size, errors } = await viewer.look();
        assert.deepEqual(errors, [], ways[n]);
        return size === form.size && frames;
      };
      const frames = await until(`${ways[n]} shows ${form.size}`, seen);
      await until('its pictures go on', async () => ((await seen()) || 0) > frames + 10);
    }
  }
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const records = recordingsDir(dir, LIVESTREAM_ID);
  // A player that comes later begins at the beginning, and has an end. It is ffmpeg that reads playlists for mpv, and counts the sound of
  // later initialisation segments by the rate of the first one: CMAF is for players that know EXT-X-MAP.
  const live = liveDir(dir, LIVESTREAM_ID, 21);
  appendFileSync(join(live, '11', 'index.m3u8'), '#EXT-X-ENDLIST\n');
  const played = [join(live, 'index.m3u8'), ...readdirSync(records).map((name) => join(records, name))];
  assert.equal(played.length, 4);
  const complaints = await Promise.all(played.map((path) => complaintsOfMpv(t, path)));
  assert.deepEqual(
    complaints,
    played.map(() => ''),
  );
});

/** Four seconds of one form, then of the other, in one transport stream. */
function alternating(dir: string): string {
  const parts = [WIDE, TALL].map((form, i) => made(form, 4, '-output_ts_offset', String(4 * i), '-f', 'mpegts'));
  writeFileSync(join(dir, 'both.ts'), Buffer.concat(parts));
  return join(dir, 'both.ts');
}

itLong('transport streams that change within one connection, by SRT and by UDP, are shown in both forms', async (t) => {
  const [srt, udp] = [await freePort(), await freePort()];
  const dirs = [folder(t), folder(t)] as const;
  const file = alternating(dirs[0]);
  const listener = { mode: 'listener', port: srt, latency_ms: 120 } as const;
  const pushed = source('SRT', listener);
  await startPush(t, dirs[0], { channelId: pushed.channelId, name: 'Feed', type: 'SRT', settings: listener });
  const address = `udp://127.0.0.1:${udp}`;
  const kinds = [
    [dirs[0], pushed, `srt://127.0.0.1:${srt}?mode=caller`],
    [dirs[1], source('Stream', { url: address }), `${address}?pkt_size=1316`],
  ] as const;
  await Promise.all(
    kinds.map(async ([dir, from, to]) => {
      feed(t, file, '-f', 'mpegts', to);
      const outputs = [
        output(21, 'HLS / TS', SEGMENTS),
        output(22, 'CMAF', { ...SEGMENTS, low_latency: true }),
        output(41, 'Record', { container: 'ts' }),
      ];
      const runner = startRunner(
        t,
        dir,
        runSpec('both', from, outputs, { renditions: COPY, startTimeoutSeconds: 120 }),
      );
      await running(runner);
      await changes(runner, 3);
      await runner.stop();
      assert.equal(await runner.exited, 0);
      const live = (id: number, track: string): string => join(liveDir(dir, LIVESTREAM_ID, id), track, 'index.m3u8');
      const parts = readdirSync(recordingsDir(dir, LIVESTREAM_ID)).sort();
      const seen = [
        picturesOf(live(21, '11')),
        picturesOf(live(22, '256')),
        parts.flatMap((name) => picturesOf(join(recordingsDir(dir, LIVESTREAM_ID), name))),
      ];
      for (const pictures of seen) {
        const whole = pictures.slice(1, 3).map((text) => text.replace(/ of .*/u, ''));
        assert.deepEqual(whole, ['40', '40'], `${from.type}: ${pictures.join(', ')}`);
      }
    }),
  );
});

/** Sends one second after the other to whoever asks, as `encoder` does; it gives the same to all. */
async function webEncoder(t: TestScope, first: Form): Promise<Encoder & { url: string }> {
  const seconds = new Map([WIDE, TALL].map((form) => [form, made(form, 1, '-f', 'flv')]));
  const answers = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    response.write(seconds.get(first)!.subarray(0, FLV_HEADER_BYTES));
    answers.add(response);
    response.once('close', () => answers.delete(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own: Encoder = { form: first, sent: new Map(), kill: () => clearInterval(timer) };
  let ms = 0;
  const timer = setInterval(() => {
    own.sent.set(own.form, (own.sent.get(own.form) ?? 0) + 1);
    const tags = shifted(seconds.get(own.form)!.subarray(FLV_HEADER_BYTES), ms);
    for (const response of answers) response.write(tags);
    ms += 1000;
  }, 1000);
  cleanUp(t, () => {
    own.kill();
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(own, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/live.flv` });
}

/** All pictures of the two changes are shown, and no connection is opened anew. */
async function goesOn(t: TestScope, dir: string, url: string, sender: Encoder): Promise<void> {
  const spec = runSpec('pulled', source('Stream', { url }), [output(21, 'HLS / TS', SEGMENTS)], { renditions: COPY });
  const runner = startRunner(t, dir, { ...spec, startTimeoutSeconds: 120 });
  await running(runner);
  const listed = (): number => playlistOf(dir, 21, '11').segments.length;
  for (const [at, form] of [TALL, WIDE].entries()) {
    const known = listed();
    await until('segments', () => listed() > known + 1);
    sender.form = form;
    await changes(runner, at + 1);
  }
  const known = listed();
  await until('segments of the last form', () => listed() > known + 1);
  await runner.stop();
  assert.equal(await runner.exited, 0);
  const shown = picturesOf(join(liveDir(dir, LIVESTREAM_ID, 21), '11', 'index.m3u8'));
  const sizes = shown.map((text) => text.replace(/^\d+ of /u, ''));
  assert.deepEqual(sizes, [WIDE.size, TALL.size, WIDE.size]);
  assert.equal(shown[1], `${10 * sender.sent.get(TALL)!} of ${TALL.size}`);
  assert.equal(Number.parseInt(shown[0]!, 10) % 5, 0, shown[0]);
  const kinds = runner.events().map(({ kind }) => kind);
  assert.ok(!kinds.includes('source_lost'), kinds.join());
}

test('a copied source that is pulled from an RTMP server goes on over its changes without a loss', async (t) => {
  const dir = folder(t);
  const server = await startRtmpServer(t, dir, await freePort());
  const url = `rtmp://127.0.0.1:${server.port}/live/one`;
  await goesOn(t, dir, url, encoder(t, WIDE, '-f', 'flv', url));
});

itLong('FLV that a web server gives is copied over its changes without a loss', async (t) => {
  const sender = await webEncoder(t, WIDE);
  await goesOn(t, folder(t), sender.url, sender);
});
