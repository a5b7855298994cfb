/** Streams in HDR and in ten bits, as they leave the encoders and ffprobe finds them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { itLong } from '../../helpers/counts.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { rendition } from '../runner/specs.ts';
import { encode, found } from './encoding.ts';

const HDR10 = { codec: 'hevc', hdr_mode: 'hdr10' } as const;
const MASTERING = { max_cll: 900, max_fall: 300, mastering: { primaries: 'bt2020', max: 2000, min: 0.001 } } as const;

interface Facts {
  pix_fmt: string;
  profile: string;
  color_transfer?: string;
  color_primaries?: string;
  color_space?: string;
  side: Record<string, unknown>;
}

function factsOf(file: string, stream = 0): Facts {
  const what = ['-select_streams', `v:${stream}`, '-read_intervals', '%+#1', '-show_frames', '-show_streams'];
  const json = execFileSync('ffprobe', ['-v', 'error', ...what, '-of', 'json', file], { encoding: 'utf8' });
  const { frames, streams } = JSON.parse(json) as {
    frames: { side_data_list?: Record<string, unknown>[] }[];
    streams: Omit<Facts, 'side'>[];
  };
  return { ...streams[0]!, side: Object.assign({}, ...(frames[0]?.side_data_list ?? [])) as Record<string, unknown> };
}

const coloursOf = ({ color_primaries, color_transfer, color_space }: Facts): string =>
  [color_primaries, color_transfer, color_space].join(' ');

describe('encoders of HDR', () => {
  it('HEVC in HDR10 says its light, its display and its brightness, and the SDR beside it is SDR of eight bits', (t) => {
    const made = encode(
      testFolder(t, 'hdr10'),
      [rendition(11, 320, 180, 800, { ...HDR10, hdr: MASTERING }), rendition(12, 160, 90, 300, { codec: 'hevc' })],
      0.4,
    );
    assert.deepEqual([made.plan.samples, made.plan.light], ['yuv420p10le', 'pq']);
    const hdr = factsOf(made.files[0]!);
    assert.equal(coloursOf(hdr), 'bt2020 smpte2084 bt2020nc');
    assert.deepEqual([hdr.pix_fmt, hdr.profile], ['yuv420p10le', 'Main 10']);
    const { max_content: pixel, max_average: picture, max_luminance: max, min_luminance: min, red_x: red } = hdr.side;
    assert.deepEqual([pixel, picture, max, min, red], [900, 300, '20000000/10000', '10/10000', '35400/50000']);
    const sdr = factsOf(made.files[0]!, 1);
    assert.equal(coloursOf(sdr), 'bt709 bt709 bt709');
    assert.deepEqual([sdr.pix_fmt, sdr.profile, sdr.side['max_content']], ['yuv420p', 'Main', undefined]);
  });

  it('HEVC in HLG says so, and is told nothing of a display', (t) => {
    const video = rendition(11, 320, 180, 800, { codec: 'hevc', hdr_mode: 'hlg' });
    const { files, plan } = encode(testFolder(t, 'hlg'), [video], 0.4);
    assert.equal(plan.light, 'hlg');
    const facts = factsOf(files[0]!);
    assert.equal(coloursOf(facts), 'bt2020 arib-std-b67 bt2020nc');
    assert.equal(facts.side['max_luminance'], undefined);
  });

  itLong('AV1 carries all that HEVC does, and VP9 its light', (t) => {
    for (const [hdr_mode, transfer] of [
      ['hdr10', 'smpte2084'],
      ['hlg', 'arib-std-b67'],
    ] as const) {
      const given = hdr_mode === 'hdr10' ? { hdr: MASTERING } : {};
      const av1 = encode(
        testFolder(t, 'av1'),
        [rendition(11, 320, 180, 800, { codec: 'av1', hdr_mode, ...given })],
        0.6,
      );
      const facts = factsOf(av1.files[0]!);
      assert.equal(coloursOf(facts), `bt2020 ${transfer} bt2020nc`);
      assert.equal(facts.pix_fmt, 'yuv420p10le');
      const brightness = hdr_mode === 'hdr10' ? 900 : undefined;
      assert.equal(facts.side['max_content'], brightness, JSON.stringify(facts.side));
      const vp9 = encode(testFolder(t, 'vp9'), [rendition(11, 320, 180, 800, { codec: 'vp9', hdr_mode })], 0.6);
      const plain = factsOf(vp9.files[0]!);
      assert.equal(coloursOf(plain), `bt2020 ${transfer} bt2020nc`);
      assert.deepEqual([plain.pix_fmt, plain.profile], ['yuv420p10le', 'Profile 2']);
    }
  });

  it('a profile of ten bits in SDR is encoded from ten bits, and one of eight beside it from the same', (t) => {
    const made = encode(
      testFolder(t, 'ten'),
      [
        rendition(11, 320, 180, 800, { h264: { profile: 'high10', level: null, keyframe_interval: 1 } }),
        rendition(12, 160, 90, 300),
      ],
      0.3,
      // A ramp that eight bits cannot hold.
      "nullsrc,format=yuv420p10le,geq=lum='300+X/8':cb=512:cr=512",
    );
    assert.deepEqual([made.plan.samples, made.plan.light], ['yuv420p10le', 'sdr']);
    const [high, small] = found(made).filter(({ pix_fmt: samples }) => samples !== undefined);
    assert.deepEqual([high!.pix_fmt, small!.pix_fmt], ['yuv420p10le', 'yuv420p']);
    const raw = ['-map', '0:v:0', '-frames:v', '1', '-pix_fmt', 'yuv420p10le', '-f', 'rawvideo', '-'];
    const bytes = new Uint8Array(execFileSync('ffmpeg', ['-v', 'error', '-i', made.files[0]!, ...raw]));
    const levels = new Set(new Uint16Array(bytes.buffer).subarray(90 * 320, 91 * 320));
    assert.ok(levels.size > 20, `${levels.size} levels; eight bits have 11`);
  });
});
