import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { HARDWARE_KINDS } from '../../../domain/shapes/encodings/hardware.ts';
import { trialArgs } from '../../../device/agent/trials/hardware-trial.ts';
import { encoderArgs } from '../../../device/media/arguments/encoder-args.ts';
import { openingArgs } from '../../../device/media/arguments/hardware-args.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { rendition } from '../runner/specs.ts';

it('a card gets one rate, no delay and keyframes of the ladder, beside a rendition in software', () => {
  const plan = planLadder([
    rendition(11, 1280, 720, 2500, { encoder: 'nvenc', preset: 'veryfast' }),
    rendition(12, 640, 360, 800),
  ]);
  const line = encoderArgs(plan, 0, 0, { hardware: openingArgs(['nvenc'], undefined) }).join(' ');
  assert.match(
    line,
    /-c:v:0 h264_nvenc -preset:v:0 p4 -tune:v:0 ull -rc:v:0 cbr -zerolatency:v:0 1 .*-forced-idr:v:0 1/u,
  );
  assert.match(line, /-bf:v:0 0 -maxrate:v:0 2500k -bufsize:v:0 2500k -g:v:0 30 -b:v:0 2500k -c:v:1 libx264/u);
  assert.match(line, /\[s0\]setsar=1,format=nv12\[v0\];\[s1\]scale=640:360:flags=bicubic,setsar=1\[v1\]/u);
});

it('VA-API and Quick Sync are opened at the render node, and frames of ten bits go up to the card', () => {
  const { hevc } = rendition(11, 1280, 720, 2500).video!;
  const ten = { codec: 'hevc', hevc: { ...hevc, profile: 'main10', level: '4.1' } } as const;
  const plan = planLadder([
    rendition(11, 1280, 720, 2500, { ...ten, encoder: 'vaapi' }),
    rendition(12, 640, 360, 800, { ...ten, encoder: 'qsv' }),
  ]);
  const node = '/dev/dri/renderD129';
  const line = encoderArgs(plan, 0, 0, { hardware: openingArgs(['qsv', 'vaapi'], node) }).join(' ');
  assert.match(
    line,
    /-init_hw_device qsv=qsv:hw,child_device=\/dev\/dri\/renderD129 -init_hw_device vaapi=vaapi:\/dev\/dri\/renderD129 -filter_hw_device vaapi/u,
  );
  assert.match(line, /setsar=1,format=p010le,hwupload\[v0\].*setsar=1,format=p010le\[v1\]/u);
  assert.match(line, /-c:v:0 hevc_vaapi -rc_mode:v:0 CBR .*-profile:v:0 main10 -level:v:0 4\.1 /u);
  assert.match(line, /-c:v:1 hevc_qsv .*-profile:v:1 main10 -level:v:1 41 /u);
});

it('ffmpeg knows every option of a trial, and is stopped by the missing driver alone', () => {
  for (const kind of HARDWARE_KINDS) {
    const args = trialArgs({ kind, codec: 'hevc', node: '/dev/dri/none', isTenBit: true });
    const { status, stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8', timeout: 60_000 });
    assert.notEqual(status, 0, 'a machine with such a card proves this by a broadcast');
    assert.match(stderr, /libcuda|VA display|Device creation failed|No such file/u, kind);
    assert.doesNotMatch(stderr, /Unrecognized option|Unable to parse|Option not found/u, kind);
  }
});
