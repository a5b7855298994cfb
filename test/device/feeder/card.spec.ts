/** The feeder of a card, by GStreamer with test sources in place of the elements of the card: no machine of ours has one. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { cardPipeline, saidByCard } from '../../../device/feeder/card-pipeline.ts';
import { noGstreamer, standInCard } from '../../helpers/gstreamer-card.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { channelsOf, feed, tracksOf } from './feeding.ts';

const SDI = { kind: 'card', connection: 'embedded', input: 1 } as const;

it('SDI takes picture and embedded sound of its input, AES/EBU the digital sound alone', () => {
  const sdi = cardPipeline({ ...SDI, groups: [1] }, 2).join(' ');
  assert.match(
    sdi,
    /decklinkvideosrc device-number=1 connection=sdi mode=auto video-format=auto drop-no-signal-frames=true/u,
  );
  assert.match(sdi, /decklinkaudiosrc device-number=1 connection=embedded channels=2 /u);
  assert.match(sdi, /mix-matrix=<<\(float\)1,\(float\)0>> ! audio\/x-raw,format=F32LE,channels=1 ! m\.$/u);
  const aes = cardPipeline({ kind: 'card', connection: 'aes', input: 0 }, 2).join(' ');
  assert.doesNotMatch(aes, /video/u);
  assert.match(aes, /decklinkaudiosrc device-number=0 connection=aes channels=2 /u);
});

it('a signal that is lost, and the format that comes, are read of what GStreamer writes', () => {
  const of = (line: string, connection: 'embedded' | 'aes' = 'embedded'): unknown => saidByCard(line, { connection });
  const element = '/GstPipeline:pipeline0/GstDecklinkVideoSrc:decklinkvideosrc0';
  assert.deepEqual(of(`${element}: signal = false`), { signal: false });
  const picture = 'video/x-raw, format=(string)UYVY, width=(int)1920, height=(int)1080, framerate=(fraction)50/1';
  assert.deepEqual(of(`${element}.GstPad:src: caps = ${picture}`), { format: '1920x1080 at 50/1' });
  assert.equal(of(`${element}.GstPad:src: caps = ${picture}`, 'aes'), undefined);
  assert.equal(of('/GstPipeline:pipeline0/GstQueue:queue0.GstPad:src: caps = video/x-raw'), undefined);
});

it('an input of sixteen channels is picture and tracks of groups', { skip: noGstreamer }, async (t) => {
  const PATH = standInCard(testFolder(t, 'card'));
  const { code, lines, media } = await feed(t, { ...SDI, groups: [2, 6, 2] }, { PATH });
  assert.deepEqual([code, lines[0]], [0, { format: '320x180 at 25/1' }]);
  assert.deepEqual(tracksOf(media), [
    'rawvideo,320,180,uyvy422,progressive',
    'pcm_f32le,2',
    'pcm_f32le,6',
    'pcm_f32le,2',
  ]);
  assert.deepEqual(
    [channelsOf(media, 0, 2), channelsOf(media, 1, 6), channelsOf(media, 2, 2)],
    [
      [1, 2],
      [3, 4, 5, 6, 7, 8],
      [9, 10],
    ],
  );
});

it('a card with fewer channels gives those that it has', { skip: noGstreamer }, async (t) => {
  const PATH = standInCard(testFolder(t, 'card'), { has: 2 });
  const { code, media } = await feed(t, { ...SDI, connection: 'aes' }, { PATH });
  assert.equal(code, 0);
  assert.deepEqual(tracksOf(media), ['pcm_f32le,2']);
});

it('without GStreamer, its plug-in or a driver a card is refused by what is missing', async (t) => {
  const dir = testFolder(t, 'none');
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const answer = async (): Promise<string> => JSON.stringify((await feed(t, SDI, { PATH: bin })).lines);
  assert.match(await answer(), /GStreamer is not on this Device: apt-get install .*"isFinal":true/u);
  const says = (line: string): void =>
    writeFileSync(join(bin, 'gst-launch-1.0'), `#!/bin/sh\necho '${line}' >&2\nexit 1\n`, { mode: 0o755 });
  says('WARNING: erroneous pipeline: no element "decklinkvideosrc"');
  assert.match(await answer(), /GStreamer has no decklink on this Device: apt-get install .*"isFinal":true/u);
  says('ERROR: Pipeline doesn\\047t want to pause.');
  assert.match(
    await answer(),
    /(?:driver of the card is not|driver finds no DeckLink card) on this Device.*"isFinal":true/u,
  );
});
