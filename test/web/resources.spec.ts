/** Words and figures of Sources, Encodings and Destinations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { destinationsEn } from '../../web/i18n/en/destinations.ts';
import { encodingsEn } from '../../web/i18n/en/encodings.ts';
import { sourcesEn } from '../../web/i18n/en/sources.ts';
import { longestWaitMs, retryText } from '../../web/pages/destinations/retry-text.ts';
import { useOf } from '../../web/pages/destinations/types.ts';
import { audioText, bitrateOf, inOrder, totalBitrate, videoText } from '../../web/pages/encodings/encoding-text.ts';
import type { Encoding } from '../../web/pages/encodings/encoding-text.ts';
import { addressOf } from '../../web/pages/sources/address.ts';
import { pictureText, soundText } from '../../web/resource/channel/format.ts';
import { moveItem } from '../../web/ui/form/move-item.ts';

function rung(height: number, bitrate: number, video: object = {}): Encoding {
  const settings_video = { active: true, codec: 'h264', bitrate, width: null, height, fps: 0, hdr_mode: 'off' };
  const settings_audio = { active: true, codec: 'mp4a', bitrate: 128, channels: 2, sample_rate: 48000 };
  return { settings_video: Object.assign(settings_video, video), settings_audio } as unknown as Encoding;
}

describe('retry budgets', () => {
  it('the longest wait is the sum of doubled delays, each capped by the longest one', () => {
    assert.equal(
      longestWaitMs({ max_attempts: 4, initial_delay_ms: 1000, max_delay_ms: 3000 }),
      1000 + 2000 + 3000 + 3000,
    );
    assert.equal(longestWaitMs({ max_attempts: 0, initial_delay_ms: 1000, max_delay_ms: 3000 }), 0);
  });

  it('the words name attempts, first and longest delay, and when it ends', () => {
    const text = retryText({ max_attempts: 10, initial_delay_ms: 500, max_delay_ms: 30_000 }, destinationsEn);
    assert.match(text, /10 times more, first after 0\.5 s .* at most 30 s\. .* after 2\.5 min at most/u);
    const none = { max_attempts: 0, initial_delay_ms: 1, max_delay_ms: 1 };
    assert.equal(retryText(none, destinationsEn), destinationsEn.retryNever);
    const many = { max_attempts: 1000, initial_delay_ms: 60_000, max_delay_ms: 600_000 };
    assert.match(retryText(many, destinationsEn), /after 166\.\d h at most/u);
  });
});

describe('ladders', () => {
  it('the total is video and audio of all rungs, and a copy counts nothing', () => {
    assert.equal(totalBitrate([rung(1080, 5000), rung(720, 2500)]), 5000 + 2500 + 2 * 128);
    assert.equal(bitrateOf(rung(720, 2500, { codec: 'copy' })), 128);
    assert.equal(bitrateOf(rung(720, 2500, { active: false })), 128);
  });

  it('rungs stand by their bitrate, either way, and the list that was given stays', () => {
    const given = [rung(720, 2500), rung(1080, 5000), rung(360, 700)];
    const heights = (rungs: readonly Encoding[]) => rungs.map(({ settings_video: video }) => video.height);
    assert.deepEqual(heights(inOrder(given, 'asc')), [360, 720, 1080]);
    assert.deepEqual(heights(inOrder(given, 'desc')), [1080, 720, 360]);
    assert.deepEqual(heights(given), [720, 1080, 360]);
  });

  it('an Encoding is told in a few words', () => {
    assert.equal(videoText(rung(720, 2500, { width: 1280, fps: 25 }), encodingsEn), '1280 × 720 · 25 fps · H.264');
    const hdr = rung(720, 2500, { codec: 'hevc', hdr_mode: 'hlg' });
    assert.equal(videoText(hdr, encodingsEn), '720p · HEVC (H.265) · HLG');
    assert.equal(videoText(rung(720, 2500, { active: false }), encodingsEn), 'no video');
    assert.equal(audioText(rung(720, 2500), encodingsEn), 'AAC · 128 kbit/s · stereo');
  });

  it('a member moves to another place', () => {
    assert.deepEqual(moveItem([1, 2, 3], 2, 0), [3, 1, 2]);
    assert.deepEqual(moveItem([1, 2, 3], 0, 1), [2, 1, 3]);
  });
});

describe('where Sources come from', () => {
  it('each type has its words, and IPv6 stands in brackets', () => {
    const text = (type: string, settings: object) => addressOf({ type, settings } as never, sourcesEn);
    assert.equal(text('Stream', { url: 'http://a/b' }), 'http://a/b');
    assert.equal(text('File', { filename: 'a.mp4' }), 'a.mp4 · repeats');
    assert.equal(text('SRT', { host: '::1', port: 9000 }), 'caller [::1]:9000');
    assert.equal(text('SDI', { deviceId: 2, input: 1 }), 'Device 2, input 1');
    assert.equal(text('NDI', {}), 'the first one that is found');
    assert.equal(text('SRT Cloud', { cloudAccountId: 3 }), 'Cloud account 3');
  });

  it('what an encoder sends is told in a few words', () => {
    const video = { codec: 'h264', width: 1080, height: 1920, fps: 29.97, interlaced: null, rotation: 0, hdr: null };
    assert.equal(pictureText(video), '1080 × 1920p29.97 · H264');
    assert.equal(pictureText({ ...video, fps: null, hdr: 'HLG' }), '1080 × 1920 · H264 · HLG');
    assert.equal(pictureText({ ...video, fps: 25, interlaced: true }), '1080 × 1920i25 · H264');
    const audio = { codec: 'aac', channels: 2, sample_rate: 44_100, language: null };
    assert.equal(soundText(audio), 'AAC stereo 44.1 kHz');
    assert.equal(soundText({ ...audio, channels: 6, language: 'eng' }), 'AAC 5.1 44.1 kHz eng');
  });

  it('each type of Destination has one use', () => {
    assert.deepEqual(
      (['CMAF', 'SRT', 'SDIOUT', 'Record'] as const).map((type) => useOf(type)),
      ['viewers', 'platforms', 'device', 'record'],
    );
  });
});
