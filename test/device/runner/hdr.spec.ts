/** A broadcast in HDR10 with SDR beside it: what viewers get of a source in PQ, and what playlist and manifest say of it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { liveDir } from '../../../device/run-dir.ts';
import { pqCode, sdrOf, type Rgb } from '../../helpers/hdr.ts';
import { until } from '../../helpers/until.ts';
import { folder, running, startRunner } from './runner-fixture.ts';
import { fileSource, LIVESTREAM_ID, output, QUICK, rendition, runSpec } from './specs.ts';

const [TS, CMAF] = [21, 24];
const code = (signal: number): number => Math.round(64 + 876 * signal);
const GREYS = [20, 203, 800];

/** A file of three greys in PQ beside each other, graded on a display of 1,500 cd/m². */
function charted(dir: string): string {
  const path = join(dir, 'pq.mp4');
  const [dark, white, bright] = GREYS.map((nits) => code(pqCode(nits)));
  const luma = `if(lt(X,W/3),${dark},if(lt(X,2*W/3),${white},${bright}))`;
  const field = `nullsrc=size=320x180:rate=30,format=yuv420p10le,geq=lum='${luma}':cb=512:cr=512`;
  const display = 'hdr10=1:master-display=G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(15000000,10)';
  const colours = 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited';
  const params = `log-level=error:qp=2:keyint=30:repeat-headers=1:${colours}:${display}:max-cll=800,340`;
  const raw = ['-f', 'lavfi', '-i', field, '-frames:v', '1', '-c:v', 'rawvideo', '-f', 'nut', `${path}.nut`];
  execFileSync('ffmpeg', ['-v', 'error', ...raw]);
  const input = ['-stream_loop', '59', '-i', `${path}.nut`, '-f', 'lavfi', '-i', 'sine=f=440:r=48000', '-shortest'];
  const coding = ['-r', '30', '-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-c:a', 'aac'];
  execFileSync('ffmpeg', ['-v', 'error', ...input, ...coding, '-x265-params', params, path]);
  return path;
}

/** The last picture in the middle of each third: luma of ten bits, or R'G'B'. */
function middles(path: string, width: number, pixels: 'yuv420p10le' | 'rgb24'): number[][] {
  const args = ['-i', path, '-map', '0:v:0', '-pix_fmt', pixels, '-f', 'rawvideo', '-'];
  const raw = execFileSync('ffmpeg', ['-v', 'error', ...args], { maxBuffer: 1 << 28 });
  const height = (width * 9) / 16;
  // Both have three bytes a pixel.
  const last = raw.subarray(raw.length - width * height * 3);
  return [1, 3, 5].map((sixth) => {
    const at = (height / 2) * width + Math.round((sixth * width) / 6);
    return pixels === 'rgb24' ? [...last.subarray(3 * at, 3 * at + 3)] : [last.readUInt16LE(2 * at)];
  });
}

it('a source in PQ keeps its values in HDR10, says the display of its source, and is SDR beside it', async (t) => {
  const dir = folder(t);
  const hevc = { codec: 'hevc', ...QUICK.rendition, hevc: QUICK.rendition.h264 } as const;
  const renditions = [rendition(11, 320, 180, 2000, { ...hevc, hdr_mode: 'hdr10' }), rendition(12, 160, 90, 600, hevc)];
  const outputs = [output(TS, 'HLS / TS', QUICK.output), output(CMAF, 'CMAF', QUICK.output)];
  const runner = startRunner(t, dir, runSpec('hdr', fileSource(charted(dir)), outputs, { renditions }));
  await running(runner);
  const live = (publishing: number, ...path: string[]): string =>
    join(liveDir(dir, LIVESTREAM_ID, publishing), ...path);
  const [hdr, sdr] = [11, 12].map((encoding) => live(TS, String(encoding), '2-hdr.ts'));
  const manifest = live(CMAF, 'manifest.mpd');
  await until('segments and manifest', () => [hdr!, sdr!, manifest].every((path) => existsSync(path)));

  middles(hdr!, 320, 'yuv420p10le').forEach(([luma], n) => {
    const wanted = code(pqCode(GREYS[n]!));
    assert.ok(Math.abs(luma! - wanted) <= 1, `${luma} of ${wanted}: the light is the source's`);
  });
  middles(sdr!, 160, 'rgb24').forEach((rgb, n) => {
    const grey = GREYS[n]!;
    const wanted = sdrOf([grey, grey, grey] as Rgb);
    assert.ok(Math.abs(rgb[1]! - wanted[1]) <= 6, `${rgb.join()} of ${wanted.join()}`);
  });
  const probe = ['-v', 'error', '-select_streams', 'v', '-read_intervals', '%+#1', '-show_frames', hdr!];
  const shown = execFileSync('ffprobe', probe, { encoding: 'utf8' });
  assert.match(shown, /color_transfer=smpte2084/u);
  assert.match(shown, /max_luminance=15000000\/10000/u);
  assert.match(shown, /max_content=800/u);

  for (const publishing of [TS, CMAF]) {
    const master = readFileSync(live(publishing, 'index.m3u8'), 'utf8');
    assert.match(master, /RESOLUTION=320x180,VIDEO-RANGE=PQ/u);
    assert.match(master, /RESOLUTION=160x90,VIDEO-RANGE=SDR/u);
  }
  const mpd = readFileSync(manifest, 'utf8');
  const sets = mpd.split('<AdaptationSet').filter((set) => set.includes('contentType="video"'));
  assert.equal(sets.length, 2, 'players do not switch between HDR and SDR');
  assert.match(sets[0]!, /<EssentialProperty schemeIdUri="urn:mpeg:mpegB:cicp:TransferCharacteristics" value="16"\/>/u);
  assert.doesNotMatch(sets[1]!, /cicp:TransferCharacteristics/u);
  const picture = runner.events().find(({ kind }) => kind === 'source_format_changed');
  assert.match(picture?.message ?? '', /HDR pictures \(PQ\); they stay what they are/u);
});
