import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { levelsOf } from '../../../device/probe/levels.ts';
import { packetFacts, type ListedPacket } from '../../../device/probe/packet-facts.ts';
import { rotationIn } from '../../../device/probe/analysis.ts';

function packetsAt(times: readonly number[], keyEvery: number): ListedPacket[] {
  return times.map((time, at) => ({
    stream_index: 0,
    pts_time: time.toFixed(3),
    size: '100',
    flags: at % keyEvery === 0 ? 'K_' : '__',
  }));
}

describe('facts of a list of packets', () => {
  for (const fps of [25, 29.97, 30, 50, 59.94]) {
    it(`finds ${fps} fps in times that are rounded to milliseconds`, () => {
      const exact = fps === 29.97 ? 30_000 / 1001 : fps === 59.94 ? 60_000 / 1001 : fps;
      const times = Array.from({ length: Math.round(fps * 5.5) }, (_, at) => at / exact);
      const facts = packetFacts(packetsAt(times, 50));
      assert.equal(facts.fps, fps);
      assert.equal(facts.isVariableRate, false);
      assert.ok(Math.abs(facts.keyframeSeconds! - 50 / exact) < 0.002);
    });
  }

  it('finds the rate where packets are lost, and where the clock of the source stands still and catches up', () => {
    const at30 = Array.from({ length: 165 }, (_, at) => at / 30);
    const lossy = at30.filter((_, at) => at % 40 !== 7);
    assert.equal(packetFacts(packetsAt(lossy, 30)).fps, 30);
    // Each second begins a little late, and its pictures are a little too near to each other.
    const jittery = at30.map((time) => Math.floor(time) + 0.05 + (time % 1) * 0.95);
    const { fps, isVariableRate } = packetFacts(packetsAt(jittery, 30));
    assert.ok(Math.abs(fps! - 30) < 0.3, `${fps} fps`);
    assert.equal(isVariableRate, false);
  });

  it('calls a rate variable when distances of pictures differ', () => {
    const times = Array.from({ length: 100 }, (_, at) => at / 30 + (at % 3 === 0 ? 0.02 : 0));
    assert.equal(packetFacts(packetsAt(times, 30)).isVariableRate, true);
  });

  it('knows no distance of keyframes where one came', () => {
    assert.equal(packetFacts(packetsAt([0, 0.04, 0.08, 0.12], 100)).keyframeSeconds, null);
  });
});

describe('levels of samples', () => {
  const sine = (amplitude: number): Buffer => {
    const samples = Buffer.alloc(48_000 * 4);
    for (let at = 0; at < 48_000; at += 1)
      samples.writeFloatLE(amplitude * Math.sin((2 * Math.PI * 1000 * at) / 48_000), at * 4);
    return samples;
  };

  it('reads a full-scale sine as a peak of 0 and an RMS of -3.01', () => {
    const { peak_dbfs: peak, rms_dbfs: rms } = levelsOf(sine(1));
    assert.ok(Math.abs(peak!) < 0.01 && Math.abs(rms! + 3.01) < 0.01, `${peak} ${rms}`);
  });

  it('reads digital silence as -120, and nothing as null', () => {
    assert.deepEqual(levelsOf(Buffer.alloc(4000)), { peak_dbfs: -120, rms_dbfs: -120 });
    assert.deepEqual(levelsOf(Buffer.alloc(0)), { peak_dbfs: null, rms_dbfs: null });
  });
});

describe('rotation in the words of ffmpeg', () => {
  it('turns counter-clockwise degrees into clockwise ones', () => {
    assert.equal(rotationIn('displaymatrix: rotation of -90.00 degrees'), 90);
    assert.equal(rotationIn('displaymatrix: rotation of 90.00 degrees'), 270);
    assert.equal(rotationIn('Stream #0:0: Video'), 0);
  });
});
