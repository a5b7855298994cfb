import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  capabilitiesOf,
  parseFlagged,
  parseFormats,
  parseProtocols,
  parseVersion,
  type FfmpegTexts,
} from '../../../device/agent/capabilities.ts';
import { capabilityProbe, foundBeside, probeCapabilities } from '../../../device/agent/capability-probe.ts';
import { EncodingTrialRun, keptTrial, trialFile } from '../../../device/agent/trials/encoding-trial.ts';
import { sandboxTrial } from '../../../device/agent/trials/sandbox-trial.ts';
import { useEnvironment } from '../../../device/environment.ts';
import { INSTALL_FFMPEG } from '../../../device/features.ts';
import { findProgram } from '../../../device/ffmpeg/programs.ts';
import { knownSandbox, sandboxFile, type Trial } from '../../../device/ffmpeg/trial.ts';
import { AUDIO_CODECS, VIDEO_CODECS } from '../../../domain/shapes/encodings/encoding.ts';
import type { Capabilities } from '../../../domain/shapes/devices/device.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';
import { CHANNEL_ROWS, CHANNEL_TYPES } from '../../../domain/types/channel-types.ts';
import { PUBLISHING_TYPES } from '../../../domain/types/destination-types.ts';

/** Captured from ffmpeg 5.1.9 of Debian 12. */
const debian = JSON.parse(readFileSync(new URL('fixtures/ffmpeg-5.1.9.json', import.meta.url), 'utf8')) as FfmpegTexts;

test('the lists that ffmpeg prints are read name by name', () => {
  assert.equal(parseVersion(debian.version), '5.1.9-0+deb12u1');
  assert.equal(parseVersion('ffmpeg version n7.1 Copyright'), 'n7.1');
  assert.equal(parseVersion('something else'), null);
  const encoders = parseFlagged(debian.encoders, 6).map(({ name }) => name);
  for (const name of ['libx264', 'libx265', 'aac', 'libopus', 'libsvtav1']) assert.ok(encoders.includes(name), name);
  assert.equal(encoders.includes('='), false);
  assert.ok(parseFlagged(debian.filters, 3).some(({ name }) => name === 'drawtext'));
  const formats = parseFormats(debian.formats);
  assert.deepEqual(
    formats.filter(({ name }) => ['v4l2', 'kmsgrab', 'caca', 'mpegts'].includes(name)),
    [
      { flags: ' E', name: 'caca' },
      { flags: 'D ', name: 'kmsgrab' },
      { flags: 'DE', name: 'mpegts' },
      { flags: 'DE', name: 'v4l2' },
    ],
  );
  const ofSeven = 'Formats:\n D.. = Demuxing supported\n .E. = Muxing supported\n ..d = Is a device\n ---\n';
  assert.deepEqual(
    parseFormats(`${ofSeven} D   3dostr          3DO STR\n  E  3g2             3GP2\n DEd alsa            ALSA\n`),
    [
      { flags: 'D  ', name: '3dostr' },
      { flags: ' E ', name: '3g2' },
      { flags: 'DEd', name: 'alsa' },
    ],
  );
  const { input, output } = parseProtocols(debian.protocols);
  assert.ok(
    input.includes('bluray') && !output.includes('bluray') && output.includes('icecast') && !input.includes('icecast'),
  );
});

test('Debian’s ffmpeg and this build can do together what is listed, and what they lack is named', () => {
  const can = capabilitiesOf(debian);
  assert.deepEqual(can.inputs, ['File', 'Stream', 'RTMP-Push', 'SRT']);
  assert.deepEqual(can.outputs, ['HLS / TS', 'DASH', 'CMAF', 'RTMP', 'Enhanced RTMP', 'SRT', 'STREAM', 'Record']);
  assert.deepEqual(can.video_encoders, ['h264', 'hevc', 'av1', 'vp9', 'copy']);
  assert.deepEqual(can.audio_encoders, ['mp4a', 'opus', 'mp3', 'mpga', 'copy']);
  assert.ok(can.protocols.includes('srt'));
  assert.deepEqual(can.encryption, ['cenc', 'cbcs']);
  assert.equal(can.missing.find(({ feature }) => feature === 'Channel SDI')?.needs, CHANNEL_ROWS.SDI.needs.needs);
  // Nothing that can be asked for is passed over in silence.
  const withMissing = (kind: string, able: string[]): string[] =>
    [
      ...able,
      ...can.missing.flatMap(({ feature }) => (feature.startsWith(`${kind} `) ? [feature.slice(kind.length + 1)] : [])),
    ].sort();
  assert.deepEqual(withMissing('Channel', can.inputs), [...CHANNEL_TYPES].sort());
  assert.deepEqual(withMissing('Publishing', can.outputs), [...PUBLISHING_TYPES].sort());
  assert.deepEqual(withMissing('video', can.video_encoders), [...VIDEO_CODECS].sort());
  assert.deepEqual(withMissing('audio', can.audio_encoders), [...AUDIO_CODECS].sort());
});

test('an encoder, a muxer and a protocol that an ffmpeg lacks are each named as missing', () => {
  const can = capabilitiesOf({
    ...debian,
    encoders: debian.encoders.replace(/^.* libx264 .*$/gmu, ''),
    formats: debian.formats.replace(/^.* mp4 .*$/gmu, ''),
    protocols: debian.protocols.replace(/^ {2}http$/gmu, ''),
  });
  assert.equal(can.video_encoders.includes('h264'), false);
  assert.deepEqual(can.inputs, ['File', 'RTMP-Push', 'SRT']);
  assert.deepEqual(can.outputs, ['HLS / TS', 'RTMP', 'Enhanced RTMP', 'SRT', 'STREAM']);
  assert.match(can.missing.find(({ feature }) => feature === 'video h264')?.needs ?? '', /libx264/u);
});

test('HDR needs an encoder of ten bits and a filter that knows light, and what lacks one of them is named', () => {
  const tenBits = [
    'Encoder libx265 [libx265 H.265 / HEVC]:',
    '    Supported pixel formats: yuv420p yuvj420p yuv420p10le gray12le',
    'Encoder libsvtav1 [SVT-AV1 encoder]:',
    '    Supported pixel formats: yuv420p',
    "Codec 'libvpx-vp9' is not recognized by FFmpeg.",
  ].join('\n');
  const can = capabilitiesOf({ ...debian, tenBits });
  assert.deepEqual(can.hdr_encoders, ['hevc']);
  const lacking = can.missing.flatMap(({ feature, needs }) => (feature.startsWith('HDR ') ? [[feature, needs]] : []));
  assert.deepEqual(
    lacking.map(([feature]) => feature),
    ['HDR av1', 'HDR vp9'],
  );
  assert.match(lacking[0]![1]!, /libsvtav1 of 10 bits a sample, and the zscale filter/u);
  const plain = { ...debian, tenBits, filters: debian.filters.replace(/^.* zscale .*$/gmu, '') };
  assert.deepEqual(capabilitiesOf(plain).hdr_encoders, []);
  assert.deepEqual(capabilitiesOf(debian).hdr_encoders, [], 'nothing is known of its encoders');
});

test('cards, NDI and the resolver of a video site count as capabilities when they are there', (t) => {
  assert.deepEqual(capabilitiesOf(debian, ['runtime:ndi']).inputs, ['File', 'Stream', 'RTMP-Push', 'SRT', 'NDI']);
  const able = capabilitiesOf(debian, ['card:decklink', 'resolver:videosite']).inputs;
  assert.deepEqual(able, ['File', 'SDI', 'Stream', 'AES/EBU', 'RTMP-Push', 'SRT', 'VideoSite Live']);

  const dir = testFolder(t, 'resolver');
  const path = join(dir, 'resolver');
  const found = (value: string | undefined): string[] => foundBeside({ videositeResolver: value, variables: {} });
  const runtime = testFolder(t, 'runtime');
  writeFileSync(join(runtime, 'libndi.so.5'), '');
  assert.deepEqual(foundBeside({ videositeResolver: path, variables: { NDI_RUNTIME_DIR_V5: runtime } }), [
    'runtime:ndi',
  ]);
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o644 });
  assert.deepEqual([found(undefined), found(''), found(dir), found(path)], [[], [], [], []]);
  chmodSync(path, 0o755);
  assert.deepEqual(found(path), ['resolver:videosite']);
  copyFileSync(path, join(dir, 'yt-dlp'));
  useEnvironment({ variables: { ...process.env, PATH: dir } });
  const usual = [found(undefined), found(''), found(join(dir, 'nowhere'))];
  useEnvironment({ variables: process.env });
  assert.deepEqual(usual, [['resolver:videosite'], ['resolver:videosite'], []]);
  const { missing } = capabilitiesOf(debian);
  assert.match(missing.find(({ feature }) => feature === 'Channel VideoSite Live')!.needs, /ONAIR_VIDEOSITE_RESOLVER/u);
});

test('everything is missing without ffmpeg, and the remedy is given', async () => {
  const can = await probeCapabilities({ log: silentLog, ffmpeg: '/nowhere/ffmpeg' });
  assert.equal(can.ffmpeg_version, null);
  assert.deepEqual(
    [can.inputs, can.outputs, can.video_encoders, can.audio_encoders, can.protocols],
    [[], [], [], [], []],
  );
  assert.equal(can.missing.find(({ feature }) => feature === 'Channel File')?.needs, INSTALL_FFMPEG);
  assert.match(INSTALL_FFMPEG, /apt-get install ffmpeg/u);
});

test('an ffmpeg that is installed later is found, and a probe that is broken off ends its process', async (t) => {
  const now = t.mock.method(performance, 'now', () => 0);
  const path = join(testFolder(t, 'ffmpeg'), 'ffmpeg');
  const trials: Trial[] = [{ sandbox: 'none', isUntried: true }, { sandbox: 'landlock' }];
  const sandbox = { kept: () => undefined, begin: () => Promise.resolve(trials.shift()!) };
  const ask = capabilityProbe({ log: silentLog, ffmpeg: path }, sandbox);
  const version = async (): Promise<string | null> => (await ask()).capabilities.ffmpeg_version;
  assert.equal(await version(), null);
  writeFileSync(path, '#!/bin/sh\necho "ffmpeg version 9.9 Copyright" >&2\n', { mode: 0o755 });
  assert.equal(await version(), null, 'not asked at every question');
  now.mock.mockImplementation(() => 6000);
  assert.equal(await version(), '9.9');
  const { capabilities, isProbing } = await ask();
  assert.deepEqual([capabilities.sandbox, isProbing], ['landlock', false]);

  const over = new AbortController();
  writeFileSync(path, '#!/bin/sh\nexec sleep 300\n', { mode: 0o755 });
  const answer = probeCapabilities({ log: silentLog, ffmpeg: path, signal: over.signal });
  over.abort();
  assert.equal((await answer).ffmpeg_version, null);
});

test('the probe of the ffmpeg of this machine finds files, HLS / TS and h264', async (t) => {
  const can = await probeCapabilities({ log: silentLog });
  t.diagnostic(`ffmpeg ${can.ffmpeg_version}`);
  assert.ok(can.ffmpeg_version !== null);
  assert.ok(can.inputs.includes('File') && can.outputs.includes('HLS / TS') && can.video_encoders.includes('h264'));
});

test('an ffmpeg that has been asked is not asked again, also not by the next agent, until it is another one', async (t) => {
  const dir = testFolder(t, 'kept');
  const ffmpeg = join(dir, 'ffmpeg');
  copyFileSync(findProgram('ffmpeg')!, ffmpeg);
  useEnvironment({ ffmpeg, variables: process.env });
  t.after(() => useEnvironment({ variables: {} }));
  const probe = (): Promise<Capabilities> => probeCapabilities({ log: silentLog, keptIn: dir });
  const kept = join(dir, 'ffmpeg.json');
  const first = await probe();
  await until('the answers are kept', () => existsSync(kept));

  // The answers on the disk show whether they are read or asked for anew.
  const altered = readFileSync(kept, 'utf8').replaceAll('libx264', 'libx999');
  writeFileSync(kept, altered);
  assert.deepEqual((await probe()).video_encoders, ['hevc', 'av1', 'vp9', 'copy']);
  copyFileSync(findProgram('ffmpeg')!, `${ffmpeg}.new`);
  renameSync(`${ffmpeg}.new`, ffmpeg);
  assert.deepEqual(await probe(), first);

  for (const text of ['torn', '{"identity": 1}', altered.replace('"filters"', '"others"')]) {
    writeFileSync(kept, text);
    assert.deepEqual(await probe(), first, text.slice(0, 20));
  }
});

test('the sandbox is not tried again while nothing has changed that its trial depends on', async (t) => {
  const dir = testFolder(t, 'kept');
  writeFileSync(join(dir, 'agent.json'), '{}');
  const sandbox = sandboxTrial(dir, silentLog);
  assert.equal(sandbox.kept('this'), undefined);
  const trial = await sandbox.begin('this');
  assert.deepEqual(sandbox.kept('this'), trial);
  assert.deepEqual([sandbox.kept('that'), sandbox.kept(undefined)], [undefined, undefined]);
  assert.equal(sandboxTrial(testFolder(t, 'another'), silentLog).kept('this'), undefined);
  writeFileSync(sandboxFile(dir), 'torn');
  assert.equal(sandbox.kept('this'), undefined);
  assert.equal(await knownSandbox(dir), trial.sandbox);
});

test('what encoding costs here is tried once, at a quiet moment, and gives way to a run', async (t) => {
  const dir = testFolder(t, 'trial');
  const clock = new FakeClock();
  let isQuiet = false;
  const begin = async (cores: number): Promise<EncodingTrialRun> => {
    const { signal } = new AbortController();
    const log = silentLog;
    const machine = { deviceDir: dir, cores, isQuiet: () => isQuiet };
    // At the lowest priority a busy machine would not get to it.
    const trial = new EncodingTrialRun({ ...machine, clock, log, signal, niceness: 0 });
    await trial.begin();
    return trial;
  };
  const trial = await begin(2);
  clock.advance(3_600_000);
  assert.deepEqual([trial.isOpen, trial.result], [true, undefined], 'not beside a broadcast');
  isQuiet = true;
  clock.advance(60_000);
  trial.interrupt();
  const tried = await until('another try', () => {
    clock.advance(60_000);
    return trial.result;
  });
  assert.ok(tried.cores > 0.02 && tried.factor >= 0.2 && tried.factor <= 5, JSON.stringify(tried));
  await until('it is kept', () => existsSync(trialFile(dir)));
  assert.deepEqual([trial.isOpen, keptTrial(dir)], [false, tried]);
  const next = await begin(2);
  assert.deepEqual([next.isOpen, next.result], [false, tried]);
  assert.equal((await begin(4)).isOpen, true, 'another number of processors');
});
