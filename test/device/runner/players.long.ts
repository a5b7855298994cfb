/** Audio tracks in players: the languages that they list, what is heard of each, and 5.1, over each way in which viewers get a broadcast. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { madeOnce } from '../../helpers/made-once.ts';
import { trackViewers, type ListedSound, type PlayerName, type TrackViewer } from '../../helpers/track-viewer.ts';
import { until } from '../../helpers/until.ts';
import { joined } from './captioned-run.ts';
import { CMAF, DASH, TS, WAYS } from './player-ways.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

/** Hertz: left and right of the first and the second language. */
const [ENGLISH, FRENCH] = [440, 880];
const PITCHES = [ENGLISH, FRENCH];
/** Hertz and level of each channel of 5.1: left, right, centre, low frequencies, back left, back right. */
const SURROUND = [
  [600, -20],
  [1000, -23],
  [1700, -17],
  [80, -14],
  [2600, -26],
  [3400, -29],
] as const;
const HEARD = { loud: -30, silent: -60 };

interface Sound {
  language: string;
  /** As aevalsrc takes it. */
  tones: string;
  layout: string;
}

const tone = (hertz: number, db = -20): string => `${(10 ** (db / 20)).toFixed(6)}*sin(2*PI*${hertz}*t)`;
const stereo = (language: string, hertz: number): Sound => {
  return { language, tones: `${tone(hertz)}|${tone(hertz)}`, layout: 'stereo' };
};
const LANGUAGES = [stereo('eng', ENGLISH), stereo('fra', FRENCH)];
const WITH_SURROUND: Sound[] = [
  ...LANGUAGES,
  { language: 'spa', tones: SURROUND.map(([hertz, db]) => tone(hertz, db)).join('|'), layout: '5.1' },
];

/** Whole periods of each tone, so that nothing clicks where the file begins anew. */
function clipOf(dir: string, sounds: readonly Sound[]): string {
  const inputs = sounds.flatMap(({ tones, layout }) => [
    ...['-f', 'lavfi', '-t', '20', '-i', `aevalsrc='${tones}':s=48000:c=${layout}`],
  ]);
  const args = [
    ...['-v', 'error', '-y', '-f', 'lavfi', '-t', '20', '-i', 'testsrc2=s=320x180:r=30', ...inputs, '-map', '0:v'],
    ...sounds.flatMap(({ language }, i) => ['-map', `${i + 1}:a`, `-metadata:s:a:${i}`, `language=${language}`]),
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-c:a', 'flac'],
  ];
  return madeOnce(join(dir, 'sounds.mkv'), args, (target) => void execFileSync('ffmpeg', [...args, target]));
}

/** A broadcast on air, with the address below which its Destinations are. */
async function onAir(t: TestScope, sounds: readonly Sound[], channels: 2 | 6): Promise<{ dir: string; base: string }> {
  const dir = folder(t);
  const outputs = [output(TS, 'HLS / TS'), output(CMAF, 'CMAF'), output(DASH, 'DASH')];
  const plain = rendition(11, 320, 180, 300);
  const renditions = [{ ...plain, audio: { ...plain.audio!, channels, bitrate: channels === 6 ? 384 : 128 } }];
  await running(startRunner(t, dir, runSpec('players', fileSource(clipOf(dir, sounds)), outputs, { renditions })));
  const playlist = join(liveDir(dir, LIVESTREAM_ID, TS), '11/index.m3u8');
  await until('six segments', () => (readFileSync(playlist, 'utf8').match(/#EXTINF/gu)?.length ?? 0) >= 6);
  return { dir, base: `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}` };
}

/** hls.js says languages as the playlist has them, shaka-player their shortest codes. */
function languageOf(player: PlayerName, language: string): string {
  return player === 'hls.js' ? language : language.slice(0, 2).replace('sp', 'es');
}

async function listed(viewer: TrackViewer): Promise<ListedSound[]> {
  return until('audio tracks', async () => {
    const { errors } = await viewer.look();
    assert.deepEqual(errors, []);
    const sounds = await viewer.sounds();
    return sounds.length > 0 && sounds;
  });
}

/** Waits until one of the pitches is heard and the others are not; returns the seconds that it took. */
async function hears(viewer: TrackViewer, hertz: number, what: string): Promise<number> {
  const begunAt = performance.now();
  let seen = '';
  await until(`${what}: ${hertz} Hz is heard alone`, async () => {
    const { errors } = await viewer.look();
    assert.deepEqual(errors, [], what);
    const [levels] = await viewer.heard(PITCHES);
    seen = levels!.map((level) => level.toFixed(1)).join();
    return PITCHES.every((pitch, i) => (pitch === hertz ? levels![i]! > HEARD.loud : levels![i]! < HEARD.silent));
  }).catch(async (error: unknown) => {
    const { time, readyState } = await viewer.look();
    throw new Error(`${String(error)}; ${PITCHES.join()} Hz have ${seen} dBFS at ${time} s, state ${readyState}`);
  });
  return (performance.now() - begunAt) / 1000;
}

/** The folders of audio in which the newest requests were. */
async function folders(viewer: TrackViewer, since: number): Promise<string[]> {
  const { requests } = await viewer.look();
  const media = requests.slice(since).filter((url) => /\.(?:ts|m4s)(?:\?|$)/u.test(url));
  return [...new Set(media.map((url) => url.split('/').at(-2)!))];
}

test('two languages are listed in hls.js and shaka-player, and the one that is chosen is heard', async (t) => {
  const { base } = await onAir(t, LANGUAGES, 2);
  const open = await trackViewers(t);
  for (const [player, path] of WAYS) {
    const what = `${player} ${path}`;
    const viewer = await open(player, `${base}/${path}`);
    const sounds = await listed(viewer);
    const [english, french] = ['eng', 'fra'].map((language) => languageOf(player, language));
    assert.deepEqual(
      sounds.map(({ language, isActive }) => [language, isActive]).sort(),
      [
        [english, true],
        [french, false],
      ],
      what,
    );
    assert.deepEqual(sounds.map(({ name }) => name).sort(), ['English', 'French'], what);
    const took = [await hears(viewer, ENGLISH, what)];
    const { requests } = await viewer.look();
    await viewer.choose(french!);
    took.push(await hears(viewer, FRENCH, what));
    const now = await viewer.sounds();
    assert.deepEqual(
      now.flatMap(({ language, isActive }) => (isActive ? [language] : [])),
      [french],
      what,
    );
    const fetched = await folders(viewer, requests.length);
    await viewer.choose(english!);
    took.push(await hears(viewer, ENGLISH, what));
    t.diagnostic(`${what}: heard after ${took.map((one) => one.toFixed(1)).join(', ')} s; from ${fetched.join(', ')}`);
    await viewer.close();
  }
});

/** Level of one channel's tone in dBFS, over the middle of the file. */
function toneLevel(path: string, channel: number, hertz: number): number {
  const pan = `pan=mono|c0=c${channel},aresample=48000`;
  const args = ['-v', 'error', '-ss', '2', '-t', '4', '-i', path, '-map', '0:a:0', '-af', pan, '-f', 'f32le', '-'];
  const raw = execFileSync('ffmpeg', args, { maxBuffer: 64 << 20 });
  const samples = new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + (raw.length & ~3)));
  let [real, imaginary] = [0, 0];
  const count = samples.length - (samples.length % 4800);
  for (let n = 0; n < count; n += 1) {
    const angle = (2 * Math.PI * hertz * n) / 48_000;
    real += samples[n]! * Math.cos(angle);
    imaginary += samples[n]! * Math.sin(angle);
  }
  return 20 * Math.log10((2 * Math.hypot(real, imaginary)) / count);
}

test('5.1 beside two languages is 5.1 in the playlist, the manifest, the players and the media, each channel at its own level', async (t) => {
  const { dir, base } = await onAir(t, WITH_SURROUND, 6);
  const open = await trackViewers(t);
  for (const [player, path] of WAYS) {
    const what = `${player} ${path}`;
    const viewer = await open(player, `${base}/${path}`);
    const sounds = await listed(viewer);
    const spanish = languageOf(player, 'spa');
    assert.equal(
      sounds.find(({ language }) => language === spanish)?.channels,
      6,
      `${what}: ${JSON.stringify(sounds)}`,
    );
    await hears(viewer, ENGLISH, what);
    await viewer.choose(spanish);
    const hertz = SURROUND.map(([pitch]) => pitch);
    let offs: number[] = [];
    await until(`${what}: each channel of 5.1 is heard at its own level`, async () => {
      const levels = await viewer.heard([...hertz, ...PITCHES]);
      offs = SURROUND.map(([, db], channel) => levels[channel]![channel]! - db);
      const others = levels.flatMap((of, channel) => of.filter((_, i) => i !== channel));
      return offs.every((off) => Math.abs(off) <= 0.5) && others.every((level) => level < HEARD.silent);
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; last ${offs.map((off) => off.toFixed(2)).join(', ')} dB`);
    });
    assert.deepEqual((await viewer.look()).errors, [], what);
    t.diagnostic(`${what}: heard less what was sent ${offs.map((off) => off.toFixed(2)).join(', ')} dB`);
    await viewer.close();
  }
  const master = readFileSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), 'index.m3u8'), 'utf8');
  assert.match(master, /LANGUAGE="spa".*CHANNELS="6"/u);
  const mpd = readFileSync(join(liveDir(dir, LIVESTREAM_ID, CMAF), 'manifest.mpd'), 'utf8');
  assert.match(mpd, /lang="spa".*?audio_channel_configuration:2011" value="6"/su);
  const [, folderOf] = /LANGUAGE="spa".*URI="([^/"]+)\//u.exec(master)!;
  const media = joined(dir, CMAF, folderOf!, join(dir, 'surround.mp4'));
  const show = ['-v', 'error', '-show_entries', 'stream=channels,channel_layout', '-of', 'csv=p=0', media];
  assert.equal(execFileSync('ffprobe', show, { encoding: 'utf8' }).trim(), '6,5.1');
  const offs = SURROUND.map(([pitch, db], channel) => toneLevel(media, channel, pitch) - db);
  t.diagnostic(`tones of 5.1 less what was sent: ${offs.map((off) => off.toFixed(2)).join(', ')} dB`);
  for (const off of offs) assert.ok(Math.abs(off) <= 0.5, `${off} dB`);
});
