/** Addresses of ours carry the token on; everything else stays as it was written. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manifestWithToken, playlistWithToken } from '../../../device/delivery/tokened-manifest.ts';
import { wordsOf } from '../../helpers/words.ts';

test('a playlist carries the token on in our own addresses alone', () => {
  const text = [
    ...wordsOf('#EXTM3U #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key",KEYFORMAT="com.apple.streamingkeydelivery"'),
    ...wordsOf('#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="data:text/plain;base64,AAAA"'),
    ...wordsOf('#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="URI=b",URI="258/index.m3u8"'),
    ...wordsOf('#EXT-X-DATERANGE:ID="1",X-URI="https://ads.example/1" #EXT-X-MAP:URI="init.mp4" #EXTINF:2.000000,'),
    ...wordsOf('1-ab.m4s #EXT-X-STREAM-INF:BANDWIDTH=1 256/index.m3u8'),
    '',
  ];
  const carried = [...text];
  carried[3] = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="URI=b",URI="258/index.m3u8?token=9.x"';
  carried[5] = '#EXT-X-MAP:URI="init.mp4?token=9.x"';
  carried[7] = '1-ab.m4s?token=9.x';
  carried[9] = '256/index.m3u8?token=9.x';
  assert.deepEqual(playlistWithToken(text.join('\n'), '9.x').split('\n'), carried);
});

test('a manifest carries the token on in our own addresses alone', () => {
  const other =
    '<Initialization sourceURL="x"/><Event media="y"/><UTCTiming schemeIdUri="urn:mpeg:dash:utc:direct:2014" value="z"/>';
  const text = `<MPD>${other}<SegmentTemplate timescale="1" initialization="256/i.mp4" media="256/$Number$.m4s"><S d="1"/></SegmentTemplate><UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-head:2014" value="manifest.mpd"/></MPD>`;
  assert.equal(
    manifestWithToken(text, '9.x'),
    `<MPD>${other}<SegmentTemplate timescale="1" initialization="256/i.mp4?token=9.x" media="256/$Number$.m4s?token=9.x"><S d="1"/></SegmentTemplate><UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-head:2014" value="manifest.mpd?token=9.x"/></MPD>`,
  );
});
