/** Audio tracks of other shapes: 5.1 that is kept, sound in mono, and tracks that are copied. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RenditionSpec, RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { itLong } from '../../helpers/counts.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { makeTracksClip, pitchOf, soundsOf, TRACKS } from '../../helpers/tracks.ts';
import { until } from '../../helpers/until.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';

const [TS, CMAF, DASH, RECORD] = [21, 31, 41, 51];
/** Hertz by channel: left, right, centre, low frequencies, back left, back right. */
const PITCHES = [600, 1000, 1700, 80, 2600, 3400];
/** Side left and side right of 7.1. */
const SIDES = [4500, 5800];

function withSound(encodingId: number, more: Partial<NonNullable<RenditionSpec['audio']>>): RenditionSpec {
  const plain = rendition(encodingId, 320, 180, 300);
  return { ...plain, name: `Encoding ${encodingId}`, audio: { ...plain.audio!, ...more } };
}

/** Runs until each playlist has three segments; returns the segments of a track, behind its head, as one file. */
async function run(t: TestScope, dir: string, spec: RunSpec): Promise<(publishingId: number, track: string) => string> {
  const runner = startRunner(t, dir, spec);
  await running(runner);
  const live = (publishingId: number): string => liveDir(dir, LIVESTREAM_ID, publishingId);
  const count = (publishingId: number): number =>
    readFileSync(join(live(publishingId), '.journal.json'), 'utf8').match(/"sequence"/gu)?.length ?? 0;
  const packaged = spec.outputs.filter(({ type }) => type !== 'Record');
  await until('three segments', () => packaged.every(({ publishingId }) => count(publishingId) >= 3));
  await runner.stop();
  assert.equal(await runner.exited, 0);
  return (publishingId, track) => {
    const own = join(live(publishingId), track);
    const heads = readdirSync(own).filter((name) => name.startsWith('init-'));
    const media = readdirSync(own).filter((name) => /^\d+-/u.test(name));
    const parts = [...heads, ...media.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))];
    const path = join(dir, `${publishingId}-${track}.media`);
    writeFileSync(path, Buffer.concat(parts.map((name) => readFileSync(join(own, name)))));
    return path;
  };
}

/** Mean volume of one channel within a narrow band around a pitch, dB. */
function level(path: string, channel: number, hertz: number): number {
  const filter = `pan=mono|c0=c${channel},bandpass=f=${hertz}:width_type=h:w=40,volumedetect`;
  const args = ['-hide_banner', '-i', path, '-map', '0:a:0', '-af', filter, '-f', 'null', '-'];
  const text = execFileSync('sh', ['-c', 'exec ffmpeg "$@" 2>&1', 'sh', ...args], { encoding: 'utf8' });
  return Number(/mean_volume: (-?[\d.]+) dB/u.exec(text)?.[1] ?? -91);
}

test('5.1 is kept where an Encoding asks for it, and is mixed to stereo and mono for the others', async (t) => {
  const dir = folder(t);
  const path = join(dir, 'surround.mkv');
  const tones = `aevalsrc='${PITCHES.map((hertz) => `0.1*sin(2*PI*${hertz}*t)`).join('|')}':s=48000:c=5.1`;
  const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=30', '-f', 'lavfi', '-i', tones];
  execFileSync('ffmpeg', [
    ...['-v', 'error', ...inputs, '-t', '8', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'flac', path],
  ]);
  const renditions = [
    withSound(11, { channels: 6, bitrate: 320 }),
    withSound(12, { channels: 2 }),
    withSound(13, { channels: 1, bitrate: 64 }),
  ];
  const media = await run(t, dir, runSpec('surround', fileSource(path), [output(CMAF, 'CMAF')], { renditions }));
  const [surround, stereo, mono] = ['259', '260', '261'].map((track) => media(CMAF, track));
  assert.deepEqual(
    [surround!, stereo!, mono!].flatMap((one) => soundsOf(one).map(({ channels }) => channels)),
    [6, 2, 1],
  );
  const layout = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'stream=channel_layout', surround!]);
  assert.match(layout.toString(), /channel_layout=5\.1\n/u);
  for (const [channel, hertz] of PITCHES.entries()) {
    const own = level(surround!, channel, hertz);
    assert.ok(own > -28 && own < -22, `channel ${channel} has its own tone at ${own} dB`);
    const other = PITCHES[(channel + 1) % PITCHES.length]!;
    assert.ok(level(surround!, channel, other) < own - 18, `${other} Hz in channel ${channel}`);
  }
  // ITU-R BS.775: the centre and the back are 3 dB lower in stereo.
  const [left, centre, back] = [600, 1700, 2600].map((hertz) => level(stereo!, 0, hertz));
  assert.ok(Math.abs(left! - centre! - 3) < 1 && Math.abs(left! - back! - 3) < 1, `${left} ${centre} ${back}`);
  const master = readFileSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), 'index.m3u8'), 'utf8');
  assert.deepEqual(
    [...master.matchAll(/CHANNELS="(\d)"/gu)].map(([, channels]) => channels),
    ['6', '2', '1'],
  );
});

for (const codec of ['mp4a', 'opus'] as const)
  test(`7.1 in ${codec} is kept in CMAF, DASH, HLS / TS and a Recording where an Encoding asks for it, and is mixed to 5.1, stereo and mono`, async (t) => {
    const dir = folder(t);
    const path = join(dir, 'wide.mkv');
    const pitches = [...PITCHES, ...SIDES];
    const tones = `aevalsrc='${pitches.map((hertz) => `0.1*sin(2*PI*${hertz}*t)`).join('|')}':s=48000:c=7.1`;
    execFileSync('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=30', '-f', 'lavfi', '-i', tones, '-t', '8'],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-c:a', 'flac', path],
    ]);
    const renditions = [
      withSound(11, { codec, channels: 8, bitrate: 510 }),
      withSound(12, { codec, channels: 6, bitrate: 320 }),
      withSound(13, { codec, channels: 2, bitrate: 192 }),
      withSound(14, { codec, channels: 1, bitrate: 64 }),
    ];
    const folded = [output(CMAF, 'CMAF'), output(DASH, 'DASH'), output(TS, 'HLS / TS')];
    const outputs = [...folded, output(RECORD, 'Record')];
    const media = await run(t, dir, runSpec('wide', fileSource(path), outputs, { renditions }));
    const channelsOf = (file: string): number[] => soundsOf(file).map(({ channels }) => channels);
    const [wide, surround, stereo, mono] = ['260', '261', '262', '263'].map((track) => media(CMAF, track));
    assert.deepEqual([wide!, surround!, stereo!, mono!].flatMap(channelsOf), [8, 6, 2, 1]);
    assert.deepEqual(
      ['11', '12', '13', '14'].flatMap((folderOf) => channelsOf(media(TS, folderOf))),
      [8, 6, 2, 1],
    );
    const recordings = readdirSync(recordingsDir(dir, LIVESTREAM_ID), { recursive: true, encoding: 'utf8' });
    const kept = recordings.filter((name) => name.endsWith('.mp4'));
    assert.deepEqual(channelsOf(join(recordingsDir(dir, LIVESTREAM_ID), kept[0]!)), [8, 6, 2, 1]);
    const layout = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'stream=channel_layout', wide!]);
    assert.match(layout.toString(), /channel_layout=7\.1\n/u);
    for (const [channel, hertz] of pitches.entries()) {
      const own = level(wide!, channel, hertz);
      assert.ok(own > -28 && own < -22, `channel ${channel} has its own tone at ${own} dB`);
      const other = pitches[(channel + 1) % pitches.length]!;
      assert.ok(level(wide!, channel, other) < own - 18, `${other} Hz in channel ${channel}`);
    }
    // In 5.1 the sides are heard from the back at their own level, in stereo 3 dB lower, as the back is.
    const sides = [level(surround!, 4, SIDES[0]!), level(surround!, 5, SIDES[1]!)];
    assert.ok(
      sides.every((side) => side > -28 && side < -22),
      `sides in 5.1: ${sides.join(', ')} dB`,
    );
    const [left, back, side] = [600, 2600, SIDES[0]!].map((hertz) => level(stereo!, 0, hertz));
    assert.ok(Math.abs(left! - back! - 3) < 1 && Math.abs(left! - side! - 3) < 1, `${left} ${back} ${side}`);
    const master = readFileSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), 'index.m3u8'), 'utf8');
    assert.deepEqual(
      [...master.matchAll(/CHANNELS="(\d)"/gu)].map(([, channels]) => channels),
      ['8', '6', '2', '1'],
    );
    const manifest = readFileSync(join(liveDir(dir, LIVESTREAM_ID, DASH), 'manifest.mpd'), 'utf8');
    const value = codec === 'mp4a' ? 7 : 12;
    assert.ok(manifest.includes(`schemeIdUri="urn:mpeg:mpegB:cicp:ChannelConfiguration" value="${value}"`), manifest);
  });

itLong('without a list viewers get all tracks of the source, with its languages', async (t) => {
  const dir = folder(t);
  const clip = makeTracksClip(join(dir, 'tracks.mp4'), 450);
  const renditions = [withSound(11, {})];
  await run(t, dir, runSpec('all', fileSource(clip), [output(CMAF, 'CMAF')], { renditions }));
  const master = readFileSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), 'index.m3u8'), 'utf8');
  assert.deepEqual(
    [...master.matchAll(/NAME="(\w+)",LANGUAGE="(\w+)",DEFAULT=(\w+)/gu)].map(([, ...words]) => words),
    [
      ['English', 'eng', 'YES'],
      ['German', 'deu', 'NO'],
      ['French', 'fra', 'NO'],
      ['Spanish', 'spa', 'NO'],
    ],
  );
});

itLong('copied video brings its tracks along, each with its own number and language', async (t) => {
  const dir = folder(t);
  const clip = makeTracksClip(join(dir, 'tracks.mp4'), 450);
  const plain = withSound(11, { codec: 'copy' });
  const renditions = [{ ...plain, video: { ...plain.video!, codec: 'copy' as const } }];
  const own = { name: null, default: false };
  const audio = [
    { track: 2, language: 'fr', ...own },
    { track: 1, language: null, ...own, default: true },
  ];
  const outputs = [output(TS, 'HLS / TS'), output(CMAF, 'CMAF')];
  const media = await run(t, dir, runSpec('copied', fileSource(clip), outputs, { renditions, audio }));
  for (const [publishingId, names] of [
    [TS, ['sound-257', 'sound-258']],
    [CMAF, ['257', '258']],
  ] as const) {
    const paths = names.map((name) => media(publishingId, name));
    assert.deepEqual(
      paths.map((path) => [pitchOf(path, 0), soundsOf(path)[0]?.language]),
      [
        [TRACKS[2].pitch, 'fra'],
        [TRACKS[1].pitch, 'und'],
      ],
    );
  }
});
