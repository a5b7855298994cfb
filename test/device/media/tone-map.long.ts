/** SDR beside HDR against ffmpeg's own tone map of the same picture, by the difference of colours that people see (CIE 1976). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { videoGraph } from '../../../device/media/ladder/video-graph.ts';
import { rendition } from '../runner/specs.ts';

const SIZE = { width: 320, height: 180 };
type Triple = [number, number, number];

/** R'G'B' of BT.709 on its display to L*a*b* at D65. */
function labOf(rgb: Triple): Triple {
  const [r, g, b] = rgb.map((value) => (value / 255) ** 2.4) as Triple;
  const x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505;
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089;
  const [fx, fy, fz] = [x, y, z].map((one) => (one > 0.008_856 ? Math.cbrt(one) : 7.787 * one + 16 / 116)) as Triple;
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

function pixelsOf(frame: Buffer): Triple[] {
  const args = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', '320x180', '-i', '-'];
  const filter =
    'scale=in_color_matrix=bt709:in_range=tv:flags=accurate_rnd+full_chroma_int+full_chroma_inp,format=rgb24';
  const raw = execFileSync('ffmpeg', ['-v', 'error', ...args, '-vf', filter, '-f', 'rawvideo', '-'], { input: frame });
  return Array.from({ length: raw.length / 3 }, (_, n) => [...raw.subarray(3 * n, 3 * n + 3)] as Triple);
}

describe('SDR beside HDR', () => {
  for (const [mode, transfer] of [
    ['hdr10', 'smpte2084'],
    ['hlg', 'arib-std-b67'],
  ] as const)
    it(`SDR beside ${mode} is within 3 of what ffmpeg's tone map makes of the same picture`, () => {
      const hevc = { codec: 'hevc', hdr_mode: mode } as const;
      const plan = planLadder([rendition(11, 320, 180, 800, hevc), rendition(12, 320, 180, 800, { codec: 'hevc' })]);
      const picture = 'scale=out_color_matrix=bt2020:out_range=tv,format=yuv420p10le';
      const source = ['-f', 'lavfi', '-i', `smptehdbars=s=${SIZE.width}x${SIZE.height}`, '-vf', picture];
      const raw = execFileSync('ffmpeg', ['-v', 'error', ...source, '-frames:v', '1', '-f', 'rawvideo', '-']);
      const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p10le', '-s', '320x180', '-i', '-'];
      const output = ['-frames:v', '1', '-f', 'rawvideo', '-'];
      const ours = ['-filter_complex', [...videoGraph(plan), '[v0]nullsink'].join(';'), '-map', '[v1]'];
      // The way that its manual shows, at the same white and peak, and exact for HLG.
      const plain = [
        `setparams=range=tv:color_primaries=bt2020:color_trc=${transfer}:colorspace=bt2020nc`,
        `zscale=t=linear:npl=203:agamma=${mode === 'hlg' ? 0 : 1}`,
        'format=gbrpf32le,zscale=p=bt709,tonemap=mobius:desat=0:peak=4.926,zscale=t=bt709:m=bt709:r=tv,format=yuv420p',
      ].join(',');
      const [mine, other] = [ours, ['-vf', plain]].map((filter) =>
        pixelsOf(execFileSync('ffmpeg', ['-v', 'error', ...input, ...filter, ...output], { input: raw })),
      );
      const differences = mine!.map((rgb, n) => {
        const [a, b] = [labOf(rgb), labOf(other![n]!)];
        return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      });
      const largest = Math.max(...differences);
      assert.ok(differences.length === 320 * 180 && largest <= 3, `${largest}`);
    });
});
