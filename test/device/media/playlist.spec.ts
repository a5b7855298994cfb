import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HLS } from '../../helpers/hls.ts';
import { masterPlaylistText, mediaPlaylistText } from '../../../device/media/manifests/hls-playlist.ts';
import { SegmentRates, transportRate } from '../../../device/media/mpeg-ts/transport-rate.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { rendition } from '../runner/specs.ts';

test('a media playlist is read back as it was meant', () => {
  const segment = (n: number, discontinuity = false) => ({
    uri: `${n}.ts`,
    seconds: 2.002 + n / 1000,
    discontinuity,
    programDateTime: new Date(Date.UTC(2026, 0, 1, 0, 0, 2 * n)).toISOString(),
  });
  const text = mediaPlaylistText({
    version: 6,
    targetSeconds: 2,
    mediaSequence: 41,
    discontinuitySequence: 3,
    ended: true,
    segments: [segment(41), segment(42, true)],
  });
  const parsed = HLS.parse(text) as HLS.types.MediaPlaylist;
  assert.equal(parsed.targetDuration, 2);
  assert.equal(parsed.mediaSequenceBase, 41);
  assert.equal(parsed.discontinuitySequenceBase, 3);
  assert.equal(parsed.endlist, true);
  assert.deepEqual(
    parsed.segments.map(({ uri, duration, discontinuity }) => [uri, duration, discontinuity === true]),
    [
      ['41.ts', 2.043, false],
      ['42.ts', 2.044, true],
    ],
  );
  assert.equal(parsed.segments[1]!.programDateTime!.toISOString(), '2026-01-01T00:01:24.000Z');
  assert.ok(text.includes('#EXT-X-INDEPENDENT-SEGMENTS'));
  const open = mediaPlaylistText({
    version: 6,
    targetSeconds: 2,
    mediaSequence: 0,
    discontinuitySequence: 0,
    ended: false,
    segments: [segment(0)],
  });
  assert.ok(!open.includes('ENDLIST'));
});

test('a master playlist keeps the order of the ladder, and sound alone has no size in it', () => {
  const picture = {
    uri: '1/index.m3u8',
    bandwidth: 2_000_000.4,
    averageBandwidth: 1_500_000,
    codecs: ['avc1.64001F', 'mp4a.40.2'],
    resolution: { width: 1280, height: 720 },
    frameRate: 30_000 / 1001,
  };
  const sound = {
    uri: '2/index.m3u8',
    bandwidth: 140_000,
    averageBandwidth: 130_000,
    codecs: ['mp4a.40.2'],
    resolution: undefined,
    frameRate: undefined,
  };
  const text = masterPlaylistText({ version: 6, variants: [picture, sound], captions: [] });
  const { variants } = HLS.parse(text) as HLS.types.MasterPlaylist;
  assert.deepEqual(
    variants.map(({ uri, bandwidth, codecs, resolution, frameRate }) => ({
      uri,
      bandwidth,
      codecs,
      resolution,
      frameRate,
    })),
    [
      {
        uri: '1/index.m3u8',
        bandwidth: 2_000_001,
        codecs: 'avc1.64001F,mp4a.40.2',
        resolution: { width: 1280, height: 720 },
        frameRate: 29.97,
      },
      { uri: '2/index.m3u8', bandwidth: 140_000, codecs: 'mp4a.40.2', resolution: undefined, frameRate: undefined },
    ],
  );
});

test('rates count what the container adds, and short segments are no peaks', () => {
  const [plan] = planLadder([rendition(11, 320, 180, 300)]).renditions;
  // Measured at 495 kbit/s over 30 s of test picture.
  assert.ok(Math.abs(transportRate(plan!) - 500_000) < 15_000);
  assert.equal(transportRate(plan!, true) - transportRate(plan!), 30 * 188 * 8, 'captions have a packet a picture');
  const rates = new SegmentRates(6);
  rates.add(9_000_000, 2);
  assert.equal(rates.peak, 0);
  rates.add(6_000_000, 6);
  assert.ok(rates.peak >= 1_000_000 && rates.peak <= 1_050_001);
});
