import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  capabilitiesOf,
  parseFlagged,
  parseProtocols,
  parseVersion,
  type FfmpegTexts,
} from '../../../device/agent/capabilities.ts';
import { capabilityProbe, foundBeside, probeCapabilities } from '../../../device/agent/capability-probe.ts';
import { INSTALL_FFMPEG } from '../../../device/features.ts';
import { CHANNEL_TYPES } from '../../../domain/channel.ts';
import { AUDIO_CODECS, VIDEO_CODECS } from '../../../domain/encoding.ts';
import { PUBLISHING_TYPES } from '../../../domain/publishing-types.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';

/** Captured from ffmpeg 5.1.9 of Debian 12. */
const debian = JSON.parse(readFileSync(new URL('fixtures/ffmpeg-5.1.9.json', import.meta.url), 'utf8')) as FfmpegTexts;

test('the lists that ffmpeg prints are read name by name', () => {
  assert.equal(parseVersion(debian.version), '5.1.9-0+deb12u1');
  assert.equal(parseVersion('ffmpeg version n7.1 Copyright'), 'n7.1');
  assert.equal(parseVersion('something else'), null);
  const encoders = parseFlagged(debian.encoders, 6).map(({ name }) => name);
  for (const name of ['libx264', 'libx265', 'aac', 'libopus', 'libsvtav1']) assert.ok(encoders.includes(name), name);
  assert.equal(encoders.includes('='), false);
  assert.ok(parseFlagged(debian.muxers, 2).some(({ name }) => name === 'mpegts'));
  assert.ok(parseFlagged(debian.filters, 3).some(({ name }) => name === 'drawtext'));
  const devices = parseFlagged(debian.devices, 2);
  assert.deepEqual(
    devices.filter(({ name }) => name === 'v4l2' || name === 'kmsgrab' || name === 'caca'),
    [
      { flags: ' E', name: 'caca' },
      { flags: 'D ', name: 'kmsgrab' },
      { flags: 'DE', name: 'v4l2' },
    ],
  );
  const { input, output } = parseProtocols(debian.protocols);
  assert.ok(
    input.includes('bluray') && !output.includes('bluray') && output.includes('icecast') && !input.includes('icecast'),
  );
});

test('Debian’s ffmpeg and this build can do together what is listed, and what they lack is named', () => {
  const can = capabilitiesOf(debian);
  assert.deepEqual(can.inputs, ['File', 'Stream', 'SRT', 'RTMP-Push']);
  assert.deepEqual(can.outputs, ['HLS / TS', 'RTMP', 'Record', 'CMAF', 'DASH', 'Enhanced RTMP', 'SRT', 'STREAM']);
  assert.deepEqual(can.video_encoders, ['h264', 'hevc', 'av1', 'vp9', 'copy']);
  assert.deepEqual(can.audio_encoders, ['mp4a', 'opus', 'mp3', 'mpga', 'copy']);
  assert.ok(can.protocols.includes('srt'));
  assert.deepEqual(can.encryption, ['cenc', 'cbcs']);
  assert.equal(
    can.missing.find(({ feature }) => feature === 'Channel SDI')?.needs,
    'a DeckLink card and ffmpeg with decklink',
  );
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
    muxers: debian.muxers.replace(/^.* mp4 .*$/gmu, ''),
    protocols: debian.protocols.replace(/^ {2}http$/gmu, ''),
  });
  assert.equal(can.video_encoders.includes('h264'), false);
  assert.deepEqual(can.inputs, ['File', 'SRT', 'RTMP-Push']);
  assert.deepEqual(can.outputs, ['HLS / TS', 'RTMP', 'Enhanced RTMP', 'SRT', 'STREAM']);
  assert.match(can.missing.find(({ feature }) => feature === 'video h264')?.needs ?? '', /libx264/u);
});

test('cards, NDI and the resolver of a video site count as capabilities when they are there', (t) => {
  const devices = `${debian.devices} D  decklink        Blackmagic\n D  libndi_newtek   NDI\n`;
  const cards = 'Auto-detected sources for decklink:\n  81:0:0 [DeckLink Duo (1)] (none)\n';
  assert.deepEqual(capabilitiesOf({ ...debian, devices }).inputs, ['File', 'Stream', 'SRT', 'RTMP-Push', 'NDI']);
  const able = capabilitiesOf({ ...debian, devices, cards }, ['resolver:videosite']).inputs;
  assert.deepEqual(able, ['File', 'Stream', 'SRT', 'RTMP-Push', 'SDI', 'AES/EBU', 'NDI', 'VideoSite Live']);

  const dir = testFolder(t, 'resolver');
  const path = join(dir, 'resolver');
  const found = (value: string | undefined): string[] => foundBeside({ videositeResolver: value });
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o644 });
  assert.deepEqual([found(undefined), found(''), found(dir), found(path)], [[], [], [], []]);
  chmodSync(path, 0o755);
  assert.deepEqual(found(path), ['resolver:videosite']);
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
  const ask = capabilityProbe({ log: silentLog, ffmpeg: path });
  assert.equal((await ask()).ffmpeg_version, null);
  writeFileSync(path, '#!/bin/sh\necho "ffmpeg version 9.9 Copyright"\n', { mode: 0o755 });
  assert.equal((await ask()).ffmpeg_version, null, 'not asked at every question');
  now.mock.mockImplementation(() => 6000);
  assert.equal((await ask()).ffmpeg_version, '9.9');

  const over = new AbortController();
  writeFileSync(path, '#!/bin/sh\nexec sleep 300\n', { mode: 0o755 });
  const answer = probeCapabilities({ log: silentLog, ffmpeg: path, signal: over.signal });
  over.abort();
  assert.equal((await answer).ffmpeg_version, null);
});

test('the probe of the ffmpeg of this machine finds files, HLS / TS and h264', async (t) => {
  const begun = performance.now();
  const can = await probeCapabilities({ log: silentLog });
  t.diagnostic(`probed in ${Math.round(performance.now() - begun)} ms: ffmpeg ${can.ffmpeg_version}`);
  assert.ok(can.ffmpeg_version !== null);
  assert.ok(can.inputs.includes('File') && can.outputs.includes('HLS / TS') && can.video_encoders.includes('h264'));
});
