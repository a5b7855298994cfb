/** Captions that a source brings along, in one run: in the pictures of each kind of Destination, and as text in HLS, CMAF and DASH. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { liveDir, recordingsDir } from '../../../device/run-dir.ts';
import { readCaptions } from '../../helpers/captioned.ts';
import { broadcast, hls, joined, lost, made, text, TEXTS } from './captioned-run.ts';
import { folder } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, rendition } from './specs.ts';

const LINE_21 = 'TYPE=CLOSED-CAPTIONS,GROUP-ID="captions",NAME="CC1",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC1"';

it('captions of a source are in the pictures of HLS, CMAF and Recordings, announced in each list, and text in HLS, CMAF and DASH', async (t) => {
  const dir = folder(t);
  const runner = await broadcast(t, dir, {
    from: await made(dir, { codec: 'libx264', rate: '25', services: true }),
    outputs: [hls(), hls(22, 'CMAF'), hls(23, 'DASH'), output(51, 'Record')],
    renditions: [rendition(11, 320, 180, 300)],
  });
  assert.deepEqual(lost(runner), []);
  const [recording] = readdirSync(recordingsDir(dir, LIVESTREAM_ID)).filter((name) => name.endsWith('.mp4'));
  const paths = [
    joined(dir, 21, '11', join(dir, 'hls.ts')),
    joined(dir, 22, '256', join(dir, 'cmaf.mp4')),
    join(recordingsDir(dir, LIVESTREAM_ID), recording!),
  ];
  for (const path of paths)
    assert.deepEqual(
      (await readCaptions(path)).map((one) => one.text),
      TEXTS,
      path,
    );
  for (const id of [21, 22]) {
    const master = text(dir, id, 'index.m3u8');
    assert.ok(master.includes(LINE_21) && master.includes('INSTREAM-ID="SERVICE1"'), master);
    assert.match(master, /TYPE=SUBTITLES,GROUP-ID="text",NAME="CC1",.*URI="text-cc1\/index\.m3u8"/u);
    const list = text(dir, id, 'text-cc1/index.m3u8');
    const files = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const words = files
      .flatMap((file) => [...text(dir, id, `text-cc1/${file}`).matchAll(/ --> [^\n]*\n([^\n]+)\n/gu)])
      .map(([, one]) => one);
    assert.deepEqual([...new Set(words)], TEXTS, `${id}`);
  }
  for (const id of [22, 23]) {
    const mpd = text(dir, id, 'manifest.mpd');
    assert.match(mpd, /codecs="wvtt"/u);
    assert.ok(mpd.includes('schemeIdUri="urn:scte:dash:cc:cea-608:2015" value="CC1=und"'), mpd);
  }
  const forms = readdirSync(liveDir(dir, LIVESTREAM_ID, 23)).filter((name) => name.startsWith('text'));
  assert.deepEqual(forms, ['text-cc1-mp4'], 'DASH has no playlists');
});
