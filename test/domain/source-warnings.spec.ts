import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProbedAudio, ProbedVideo } from '../../domain/shapes/sources/probe.ts';
import { sourceWarnings } from '../../domain/rules/sources/source-warnings.ts';

const video: ProbedVideo = {
  codec: 'h264',
  width: 1920,
  height: 1080,
  fps: 50,
  interlaced: false,
  rotation: 0,
  hdr: null,
  keyframe_interval_seconds: 2,
};
const track: ProbedAudio = {
  codec: 'aac',
  channels: 2,
  sample_rate: 48_000,
  language: null,
  peak_dbfs: -6,
  rms_dbfs: -20,
};

function codes(change: Partial<ProbedVideo>, audio: ProbedAudio[] = [track], isVariableRate = false): string[] {
  const facts = { video: { ...video, ...change }, audio, seconds: 5.5, isVariableRate };
  return sourceWarnings(facts).map(({ code }) => code);
}

describe('warnings about a source', () => {
  it('says nothing about a good one', () => assert.deepEqual(codes({}), []));
  it('names what is wrong with the video', () => {
    assert.deepEqual(codes({ keyframe_interval_seconds: 4.1 }), ['keyframes_far_apart']);
    assert.deepEqual(codes({ keyframe_interval_seconds: null }), ['keyframes_far_apart']);
    assert.deepEqual(codes({ interlaced: true }), ['interlaced']);
    assert.deepEqual(codes({ width: 853 }), ['odd_size']);
    assert.deepEqual(codes({ hdr: 'HLG' }), ['hdr']);
    assert.deepEqual(codes({ codec: 'hevc' }), ['hevc_copy']);
    assert.deepEqual(codes({}, [track], true), ['variable_frame_rate']);
  });
  it('names what is wrong with the sound', () => {
    assert.deepEqual(codes({}, []), ['no_audio']);
    assert.deepEqual(codes({}, [{ ...track, peak_dbfs: -120, rms_dbfs: -120 }]), ['silent_audio']);
    assert.deepEqual(codes({}, [{ ...track, peak_dbfs: -30, rms_dbfs: -45 }]), ['low_level']);
    assert.deepEqual(codes({}, [{ ...track, peak_dbfs: 0 }]), ['high_level']);
  });
});
