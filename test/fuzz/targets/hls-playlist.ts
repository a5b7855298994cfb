/** Playlists of a source, and the order of segments that follows from those that come one after the other. */
import assert from 'node:assert/strict';
import { readPlaylist } from '../../../device/media/hls/playlist.ts';
import { rankedVariants, soundsOf } from '../../../device/media/hls/variants.ts';
import { refusing, type FuzzTarget } from '../target.ts';

const BASE = 'https://example.com/live/list.m3u8';
const MEDIA = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-TARGETDURATION:6
#EXT-X-MEDIA-SEQUENCE:41
#EXT-X-START:TIME-OFFSET=-12.5
#EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"
#EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x01010101010101010101010101010101
#EXTINF:5.96,
#EXT-X-BYTERANGE:1000@720
all.m4s
#EXT-X-DISCONTINUITY
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z
#EXT-X-GAP
#EXTINF:6,
../next.ts?a=b
#EXT-X-ENDLIST
`;
const MASTER = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",LANGUAGE="de",DEFAULT=YES,URI="a.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1280x720,CODECS="avc1.64001f,mp4a.40.2",AUDIO="a"
v.m3u8
`;

export const target: FuzzTarget = {
  seeds: [Buffer.from(MEDIA), Buffer.from(MASTER)],
  run(bytes) {
    const text = bytes.toString('utf8');
    const { media, master } = refusing([RangeError], () => readPlaylist(text, BASE)) ?? {};
    for (const variant of rankedVariants(master ?? { variants: [], sounds: [], startSeconds: undefined }, 1 << 26))
      assert.ok(URL.canParse(variant.uri) && soundsOf(master!, variant).length <= master!.sounds.length);
    if (media === undefined) return;
    assert.ok(media.targetSeconds > 0 && Number.isFinite(media.targetSeconds));
    assert.ok(media.segments.length <= text.length);
    for (const [i, { uri, seconds, sequence, part, range, init }] of media.segments.entries()) {
      assert.ok(URL.canParse(uri) && (init === undefined || URL.canParse(init.uri)));
      assert.ok(Number.isFinite(seconds) && seconds >= 0 && Number.isFinite(sequence));
      assert.ok(range === undefined || (range.offset >= 0 && range.length >= 0));
      const before = media.segments[i - 1];
      if (before !== undefined) assert.ok(sequence === before.sequence + 1 && part >= before.part);
    }
  },
};
