/** Low latency beside the rest of a broadcast: captions, cues, encryption, and players that know nothing of parts. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { boxesIn, findBox } from '../../../device/media/fmp4/fmp4-box.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { filesNow } from '../../helpers/files-now.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { made } from './captioned-run.ts';
import { drm, PICTURE } from './encrypted-output.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { serveLive } from './web-server.ts';

const [TS, CMAF] = [21, 22];
const VIDEO = '256';
const LOW = { low_latency: true, segment_duration: 1, playlist_length: 12 };

test('low latency goes with captions, cues and encryption, and a player without it plays the same address', async (t) => {
  const dir = folder(t);
  const source = await made(dir, { codec: 'libx264', rate: '25' });
  const outputs = [output(TS, 'HLS / TS', LOW), output(CMAF, 'CMAF', LOW, { drm: drm('cbcs', ['WIDEVINE']) })];
  const looped = { ...source, settings: { ...source.settings, loop: true } };
  const spec = runSpec('low-media', looped, outputs, { renditions: [rendition(11, 320, 180, 300)] });
  const runner = startRunner(t, dir, spec);
  await running(runner);
  const base = `${await serveLive(t, dir)}/live/${LIVESTREAM_ID}`;
  const list = async (id: number, path: string): Promise<string> => (await fetch(`${base}/${id}/${path}`)).text();
  const withParts = (text: string): boolean => text.includes('#EXT-X-PART:') && text.includes('#EXT-X-PRELOAD-HINT');

  await until('parts everywhere', async () => {
    const texts = await Promise.all([TS, CMAF].map((id) => list(id, `${VIDEO}/index.m3u8`)));
    return texts.every(withParts);
  });
  // The first caption comes after three seconds.
  await until('captions as text', async () => (await list(TS, 'index.m3u8')).includes('TYPE=SUBTITLES'));
  await until('a caption', async () => {
    const files = filesNow(join(liveDir(dir, LIVESTREAM_ID, TS), 'text-cc1'));
    return files.some(({ text }) => text.includes('HELLO FROM ONAIR'));
  });

  const cue = await change(runner, { type: 'cue', cue: { type: 'CueOut', duration: 4, id: 77 } });
  assert.equal(cue.status, 200, cue.detail);
  for (const id of [TS, CMAF])
    await until('the cue', async () => {
      const text = await list(id, `${VIDEO}/index.m3u8`);
      return withParts(text) && /#EXT-X-(?:CUE-OUT|DATERANGE)/u.test(text);
    });

  const encrypted = await list(CMAF, `${VIDEO}/index.m3u8`);
  assert.match(encrypted, new RegExp(`#EXT-X-KEY:METHOD=SAMPLE-AES,.*${PICTURE.kid}`, 'u'));
  const part = encrypted.match(/(?<=EXT-X-PART:.*URI=")[^"]+/gu)!.at(-1)!;
  const bytes = Buffer.from(await (await fetch(`${base}/${CMAF}/${VIDEO}/${part}`)).arrayBuffer());
  const moof = [...boxesIn(bytes)].find(({ type }) => type === 'moof')!.body;
  assert.ok(findBox(moof, 'traf', 'senc'), 'a part is encrypted, too');

  // ffmpeg takes whole segments, as a player of ten years ago does.
  const words = ['-v', 'error', '-nostdin', '-i', `${base}/${TS}/index.m3u8`, '-t', '4', '-map', '0:v:0'];
  const { stdout, stderr } = await promisify(execFile)('ffmpeg', [...words, '-f', 'framemd5', '-']);
  const frames = stdout.split('\n').filter((line) => /^\d/u.test(line)).length;
  assert.ok(frames >= 90, `${frames} frames; ${stderr}`);
});
