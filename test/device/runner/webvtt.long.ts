/** Captions of a source as tracks of text in HLS, CMAF and DASH: the text that was sent, at the time of its pictures. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import { captionViewer } from '../../helpers/caption-viewer.ts';
import { readCaptions } from '../../helpers/captioned.ts';
import { until } from '../../helpers/until.ts';
import { broadcast, hls, joined, made, text, TEXTS } from './captioned-run.ts';
import { folder } from './runner-fixture.ts';
import { LIVESTREAM_ID, rendition } from './specs.ts';
import { serveLive } from './web-server.ts';

interface ReadCue {
  text: string;
  from: number;
  to: number;
}

function secondsOf(time: string): number {
  const [hours, minutes, seconds] = time.split(':').map(Number) as [number, number, number];
  return hours * 3600 + minutes * 60 + seconds;
}

/** Cues of a playlist on the time of its video; parts of one caption that follow each other are one. */
function listedCues(dir: string, id: number, video: string): ReadCue[] {
  const uris = (list: string): string[] => list.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const list = text(dir, id, 'text-cc1/index.m3u8');
  const lengths = (one: string): string[] => one.match(/#EXTINF:\d+\.\d{2}/gu) ?? [];
  const videoList = text(dir, id, `${video}/index.m3u8`);
  assert.deepEqual(lengths(list), lengths(videoList), 'as long as the segments of the video');
  assert.match(list, /#EXT-X-ENDLIST/u);
  const cues: ReadCue[] = [];
  for (const uri of uris(list)) {
    const segment = text(dir, id, `text-cc1/${uri}`);
    const [, ticks, local] = /^WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:(\d+),LOCAL:(\S+)\n/u.exec(segment)!;
    const shift = Number(ticks) / 90_000 - secondsOf(local!);
    for (const [, from, to, words] of segment.matchAll(/\n(\S+) --> (\S+) .*\n([^\n]+)\n/gu)) {
      const cue = { text: words!, from: secondsOf(from!) + shift, to: secondsOf(to!) + shift };
      const last = cues.at(-1);
      if (last?.text === cue.text && cue.from <= last.to + 0.002) last.to = Math.max(last.to, cue.to);
      else cues.push(cue);
    }
  }
  return cues;
}

it('captions are WebVTT in HLS and CMAF and wvtt in DASH, and players show their text', async (t) => {
  const dir = folder(t);
  await broadcast(t, dir, {
    from: await made(dir, { codec: 'libx264', rate: '25' }),
    outputs: [hls(), hls(22, 'CMAF'), hls(23, 'DASH')],
    renditions: [rendition(11, 320, 180, 400)],
  });
  for (const [id, track] of [
    [21, '11'],
    [22, '256'],
  ] as const) {
    const cues = listedCues(dir, id, track);
    assert.deepEqual(
      cues.map((cue) => cue.text),
      TEXTS,
    );
    const inPictures = await readCaptions(joined(dir, id, track, join(dir, `video-${id}.${id === 21 ? 'ts' : 'mp4'}`)));
    const offs = cues.map(({ from }, i) => from - inPictures[i]!.seconds);
    t.diagnostic(`${id}: cues less captions ${offs.map((off) => Math.round(off * 1000)).join(', ')} ms`);
    for (const off of offs) assert.ok(Math.abs(off) <= 0.5, `${id}: ${off} s`);
    const master = text(dir, id, 'index.m3u8');
    assert.match(master, /TYPE=SUBTITLES,GROUP-ID="text",NAME="CC1",.*URI="text-cc1\/index\.m3u8"/u);
    assert.match(master, /#EXT-X-STREAM-INF:.*SUBTITLES="text"/u);
  }
  for (const id of [22, 23]) {
    const mpd = text(dir, id, 'manifest.mpd');
    assert.match(mpd, /contentType="text" mimeType="application\/mp4" lang="und"/u);
    assert.match(mpd, /codecs="wvtt"/u);
  }
  const forms = readdirSync(liveDir(dir, LIVESTREAM_ID, 23)).filter((name) => name.startsWith('text'));
  assert.deepEqual(forms, ['text-cc1-mp4'], 'DASH has no playlists');

  const base = `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}`;
  const viewer = await captionViewer(t);
  for (const id of [21, 22]) {
    const look = await viewer.hls(`${base}/${id}/index.m3u8`);
    await until(`hls.js shows the text of ${id}`, async () => {
      const { tracks, errors } = await look();
      assert.deepEqual(errors, []);
      const texts = tracks.filter(({ label }) => label === 'CC1').map((track) => [...new Set(track.texts)]);
      return texts.length === 2 && texts.every((one) => JSON.stringify(one) === JSON.stringify(TEXTS));
    });
  }
  for (const url of [`${base}/23/manifest.mpd`, `${base}/21/index.m3u8`]) {
    const look = await viewer.shakaText(url);
    await until(`shaka-player shows the text of ${url}`, async () => {
      const { tracks, errors } = await look();
      assert.deepEqual(errors, []);
      return tracks.some(({ texts }) => JSON.stringify([...new Set(texts)]) === JSON.stringify(TEXTS));
    });
  }
});
