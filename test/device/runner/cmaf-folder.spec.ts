/** A CMAF folder lists, keeps and removes its segments. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CmafSegment } from '../../../device/media/manifests/cmaf-segmenter.ts';
import type { TrackInit } from '../../../device/media/fmp4/fmp4-parser.ts';
import type { CmafFolderOptions } from '../../../device/runner/outputs/segments/cmaf-folder-options.ts';
import { CmafFolder } from '../../../device/runner/outputs/segments/cmaf-folder.ts';
import { folder } from './runner-fixture.ts';

const START_MS = Date.UTC(2026, 0, 1);
const RATES = new Map([[256, { peak: 2, average: 1 }]]);

function inits(content: string): Map<string, TrackInit> {
  const defaults = { duration: 0, size: 0, flags: 0 };
  const facts = { codecs: 'avc1.42C00D', width: 320, height: 180, timescale: 1000, trackId: 1, defaults };
  return new Map([['256', { bytes: Buffer.from(content), kind: 'video', ...facts }]]);
}

/** Two seconds each; `n` from the beginning of the stream. */
function add(to: CmafFolder, n: number, init = 'init', discontinuity = false): void {
  const part = { bytes: Buffer.from(`s${n}`), startTime: n * 2000, duration: 2000, timescale: 1000 };
  const segment: CmafSegment = { startSeconds: n * 2, seconds: 2, discontinuity, parts: new Map([['256', part]]) };
  to.append(segment, inits(init), START_MS + n * 2000, { nowMs: START_MS + n * 2000 + 2000, rates: RATES });
}

test('segments leave after a grace, and periods and initialisation segments with the last that needs them', (t) => {
  const dir = join(folder(t), 'live');
  const track = { id: 256, kind: 'video', rate: { num: 30, den: 1 }, label: undefined } as const;
  const layout = { tracks: [track], renditions: [{ video: 256, audios: [] }] };
  const shape = { playlistLength: 3, timeShiftSeconds: 7, targetSeconds: 2, segmentSeconds: 2, captions: () => [] };
  const options: CmafFolderOptions = { dir, runId: 'folder-a-run', hls: true, dash: true, layout, ...shape };
  const files = (): string[] => readdirSync(join(dir, '256')).sort();
  const text = (): string => readFileSync(join(dir, '256/index.m3u8'), 'utf8');
  const first = new CmafFolder(options);
  for (const n of [0, 1, 2]) add(first, n);
  const second = new CmafFolder(options);
  add(second, 3, 'init');
  assert.match(text(), /#EXT-X-DISCONTINUITY\n#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:06.000Z/u, 'no new map');
  add(second, 4, 'other', true);
  assert.match(text(), /MEDIA-SEQUENCE:1\n/u, 'four segments are the first eight seconds that hold seven');
  assert.deepEqual(
    files().filter((name) => name.startsWith('init')),
    ['init-0-folder-a.mp4', 'init-4-folder-a.mp4'],
  );
  for (const n of [5, 6, 7, 8]) add(second, n, 'other');
  assert.match(text(), /MEDIA-SEQUENCE:5\n#EXT-X-DISCONTINUITY-SEQUENCE:2\n/u);
  assert.equal(files()[0], '0-folder-a.m4s');
  for (const n of [9, 10, 11, 12, 13]) add(second, n, 'other');
  const kept = [5, 6, 7, 8, 9, 10, 11, 12, 13].map((n) => `${n}-folder-a.m4s`).sort();
  assert.deepEqual(files(), [...kept, 'index.m3u8', 'init-4-folder-a.mp4']);
  const mpd = readFileSync(join(dir, 'manifest.mpd'), 'utf8');
  assert.match(mpd, /availabilityStartTime="2026-01-01T00:00:00.000Z"/u);
  assert.match(mpd, /<Period id="4" start="PT8S">/u, 'a period keeps its start when its first segments have left');
  assert.match(mpd, /startNumber="10" initialization="256\/init-4-folder-a.mp4"/u);

  const other = new CmafFolder({ ...options, runId: 'next-run' });
  assert.deepEqual(files(), [], 'another run begins clean');
  add(other, 0);
  assert.deepEqual(files(), ['0-next-run.m4s', 'index.m3u8', 'init-0-next-run.mp4']);

  const lists = { since: '2025-12-31T23:59:00.000Z', firstNumber: 300 };
  add(new CmafFolder({ ...options, runId: 'elsewhere', lists }), 0);
  assert.match(text(), /MEDIA-SEQUENCE:300\n#EXT-X-DISCONTINUITY-SEQUENCE:300\n/u);
  const later = readFileSync(join(dir, 'manifest.mpd'), 'utf8');
  assert.match(later, /availabilityStartTime="2025-12-31T23:59:00.000Z"/u);
  assert.match(later, /<Period id="300" start="PT60S">/u, 'its times are those of the run before');
});
