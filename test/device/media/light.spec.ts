/** The lights of a programme: curves by the values of their standards, and pictures and overlays against what ffmpeg's zscale makes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { stillArgs } from '../../../device/media/arguments/still-args.ts';
import { blend, overlayOf, type Bitmap } from '../../../device/media/frames/overlay.ts';
import { PictureWatch } from '../../../device/media/frames/picture-watch.ts';
import { blackFrame, slateFrame } from '../../../device/media/frames/slate.ts';
import { StillPainter } from '../../../device/media/frames/still-painter.ts';
import {
  CurveTable,
  hlgGain,
  hlgLoss,
  hlgOf,
  nitsOfPq,
  pqOf,
  sceneOfHlg,
  WHITE_NITS,
} from '../../../device/media/light/curves.ts';
import { frameBytes, samplesIn, type FrameForm } from '../../../device/media/light/frame-form.ts';
import { COLOURS, toLight } from '../../../device/media/light/light-filters.ts';
import { inForm } from '../../../device/media/light/programme-colour.ts';
import { displayText, masteringIn, masteringData } from '../../../device/media/light/mastering-data.ts';

const LIGHTS = ['pq', 'hlg'] as const;
const formOf = (light: FrameForm['light'], width = 32, height = 16): FrameForm => {
  return { width, height, samples: 'yuv420p10le', light };
};

function ffmpeg(args: string[], input: Buffer): Buffer {
  return execFileSync('ffmpeg', ['-v', 'error', ...args], { input, maxBuffer: 1 << 26 });
}

function assertNear(one: number, other: number, tolerance: number, what: string): void {
  assert.ok(Math.abs(one - other) <= tolerance, `${what}: ${one} is not ${other} within ${tolerance}`);
}

describe('curves', () => {
  it('curves have the values of ITU-R BT.2100 and BT.2408, in both directions', () => {
    // BT.2408-7 table 1: PQ is 58 % at diffuse white; HLG is 75 %.
    for (const [nits, signal] of [
      [0, 0],
      [100, 0.508],
      [WHITE_NITS, 0.581],
      [1000, 0.752],
      [10_000, 1],
    ] as const) {
      assertNear(pqOf(nits), signal, 0.001, `${nits} cd/m²`);
      assertNear(nitsOfPq(pqOf(nits)), nits, 1e-6 * nits, 'and back');
    }
    for (const [scene, signal] of [
      [0, 0],
      [1 / 12, 0.5],
      [1, 1],
    ] as const) {
      assertNear(hlgOf(scene), signal, 1e-5, `${scene} of the scene`);
      assertNear(sceneOfHlg(signal), scene, 1e-5, 'and back');
    }
    assertNear(hlgOf(hlgLoss(1)), 0.75, 0.002, 'diffuse white in HLG');
    const scene = hlgLoss(0.4) * 0.4;
    assertNear(hlgGain(scene) * scene, 0.4, 1e-9, 'light that is shown');
    assert.equal(hlgLoss(0), 0);
    const table = new CurveTable((light) => pqOf(light * WHITE_NITS), 1);
    for (const light of [0, 1e-6, 1e-4, 0.01, 0.5, 1, 2])
      assertNear(table.at(light), pqOf(Math.min(light, 1) * WHITE_NITS), 0.0005, `${light} of white by the table`);
  });
});

describe('a picture that is drawn in SDR', () => {
  /** Bars of full and half colours, black and white. */
  function drawn(width: number, height: number): Buffer {
    const source = `smptehdbars=s=${width}x${height}`;
    const filter = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p';
    const output = ['-vf', filter, '-frames:v', '1', '-f', 'rawvideo', '-'];
    return ffmpeg(['-f', 'lavfi', '-i', source, ...output], Buffer.alloc(0));
  }

  for (const light of LIGHTS)
    it(`a picture that is drawn in SDR is within 2 of 1,023 of what zscale makes of it in ${light}`, () => {
      const form = formOf(light, 640, 360);
      const raw = drawn(640, 360);
      const mine = samplesIn(inForm(raw, form), form);
      const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', '640x360', '-i', '-'];
      const filter = ['setparams=range=tv', ...toLight('sdr', light), 'format=yuv420p10le'].join(',');
      const converted = ffmpeg([...input, '-vf', filter, '-f', 'rawvideo', '-'], raw);
      const other = samplesIn(new Uint8Array(converted), form);
      assert.equal(mine.length, other.length);
      let far = 0;
      for (let n = 0; n < mine.length; n += 1) if (Math.abs(mine[n]! - other[n]!) > 2) far += 1;
      // zscale takes the mean of chroma from both sides of an edge.
      assert.ok(far < mine.length / 40, `${far} of ${mine.length}`);
    });

  it('black, the slate and ten bits in SDR are the same picture in more bits', () => {
    const [eight, ten] = [formOf('sdr'), formOf('sdr')];
    delete eight.samples;
    assert.equal(frameBytes(ten), 2 * frameBytes(eight));
    const four = samplesIn(slateFrame(ten), ten);
    slateFrame(eight).forEach((value, n) => assert.equal(four[n], 4 * value));
    for (const light of ['sdr', ...LIGHTS] as const) {
      const black = samplesIn(blackFrame(formOf(light)), formOf(light));
      assert.deepEqual([black[0], black[32 * 16], black.at(-1)], [64, 512, 512], light);
    }
  });

  it('a black programme of ten bits is seen as black, and a slate is not', () => {
    for (const light of ['sdr', ...LIGHTS] as const) {
      const form = formOf(light);
      const watch = new PictureWatch(form);
      watch.look(blackFrame(form), 1000);
      assert.notEqual(watch.blackSince, undefined, light);
      watch.look(slateFrame(form), 2000);
      assert.equal(watch.blackSince, undefined, light);
    }
  });
});

describe('an overlay in HDR', () => {
  const flat = (colour: [number, number, number], alpha: number): Bitmap => {
    const pixel = [...colour.map((value) => Math.round((value * alpha) / 255)), alpha];
    return { width: 4, height: 4, data: Uint8Array.from({ length: 64 }, (_, at) => pixel[at % 4]!) };
  };
  const laid = (bitmap: Bitmap, form: FrameForm): [number, number, number] => {
    const frame = blackFrame(form);
    blend(frame, form, overlayOf(bitmap, { x: 4, y: 4 }, form)!);
    const samples = samplesIn(frame, form);
    const chroma = form.width * form.height + 2 * (form.width / 2) + 2;
    assert.equal(samples[0], 64, 'beside it nothing is changed');
    return [samples[4 * form.width + 4]!, samples[chroma]!, samples[chroma + (form.width * form.height) / 4]!];
  };

  it('white of an overlay in HDR is diffuse white, without a colour, and half of it is half of the signal', () => {
    for (const [light, white] of [
      ['pq', 64 + 876 * pqOf(WHITE_NITS)],
      ['hlg', 64 + 876 * 0.75],
      ['sdr', 940],
    ] as const) {
      const form = formOf(light);
      const [luma, cb, cr] = laid(flat([255, 255, 255], 255), form);
      assertNear(luma, white, 2, light);
      assert.deepEqual([cb, cr], [512, 512]);
      const [half] = laid(flat([255, 255, 255], 128), form);
      assertNear(half, 64 + ((white - 64) * 128) / 255, 2, `half of it in ${light}`);
    }
  });

  it('an overlay in HDR has the colours that the same drawing has in the picture', () => {
    for (const light of LIGHTS)
      for (const [rgb, yuv] of [
        [
          [255, 0, 0],
          [63, 102, 240],
        ],
        [
          [0, 0, 255],
          [32, 240, 118],
        ],
      ] as const) {
        const form = formOf(light);
        const eight = Buffer.concat([Buffer.alloc(512, yuv[0]), Buffer.alloc(128, yuv[1]), Buffer.alloc(128, yuv[2])]);
        const picture = samplesIn(inForm(eight, form), form);
        const overlay = laid(flat([...rgb], 255), form);
        // Eight bits of the picture round its colour before it is converted.
        [picture[0]!, picture[512]!, picture[640]!].forEach((value, n) =>
          assertNear(overlay[n]!, value, 6, `${light} ${rgb.join(' ')}`),
        );
      }
  });
});

describe('a still of HDR', () => {
  it('a painted still of a programme in HDR has the colours that ffmpeg gives it', async () => {
    const size = { width: 320, height: 180 };
    for (const light of LIGHTS) {
      const form = { ...size, samples: 'yuv420p10le', light } as const;
      const filter = `scale=out_color_matrix=bt2020:out_range=tv,format=yuv420p10le`;
      const output = ['-vf', filter, '-frames:v', '1', '-f', 'rawvideo', '-'];
      const raw = ffmpeg(['-f', 'lavfi', '-i', 'smptehdbars=s=320x180', ...output], Buffer.alloc(0));
      const jpeg = await (await StillPainter.load(form, size, 92)).jpeg(Buffer.from(new Uint8Array(raw)));
      const [mine, other] = [jpeg, ffmpeg(stillArgs(form, size), raw)].map((still) =>
        ffmpeg(['-f', 'mjpeg', '-i', '-', '-vf', 'format=rgb24', '-f', 'rawvideo', '-'], still),
      );
      const difference = mine!.reduce((sum, value, n) => sum + Math.abs(value - other![n]!), 0) / mine!.length;
      // How ffmpeg clips colours that SDR has not depends on the processor.
      assert.ok(difference < 8, `${light}: ${difference}`);
    }
  });
});

describe('what displays are told', () => {
  it('what displays are told is what is set, else what the source says, else the usual display', () => {
    const lines = [
      '[Parsed_showinfo_0 @ 0x55] [info]   side data - mastering display: has_primaries:1 has_luminance:1 r(0.7080,0.2920) g(0.1700,0.7970) b(0.1310 0.0460) wp(0.3127, 0.3290) min_luminance=0.000100, max_luminance=4000.000000',
      '[Parsed_showinfo_0 @ 0x55] [info]   side data - Content Light Level information: MaxCLL=1600, MaxFALL=320',
      '[Parsed_showinfo_0 @ 0x55] [info] color_range:tv color_space:bt2020nc color_primaries:bt2020 color_trc:smpte2084',
    ];
    const source = Object.assign({}, ...lines.map((line) => masteringIn(line))) as ReturnType<typeof masteringData>;
    assert.deepEqual([source.maxCll, source.maxFall, source.display.max], [1600, 320, 4000]);
    assert.equal(
      displayText(source.display, true),
      'G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L(40000000,1)',
    );
    assert.equal(
      displayText(masteringData(null).display, false),
      'G(0.265,0.69)B(0.15,0.06)R(0.68,0.32)WP(0.3127,0.329)L(1000,0.005)',
    );
    assert.equal(masteringData(null).maxCll, undefined, 'nothing is made up');
    const own = { max_cll: 500, max_fall: null, mastering: { primaries: 'bt2020', max: 600, min: 0.01 } } as const;
    assert.deepEqual(
      [masteringData(own, source).maxCll, masteringData(own, source).maxFall, masteringData(own, source).display.max],
      [500, 320, 600],
    );
    assert.deepEqual(masteringData(null, source), source);
    assert.equal(COLOURS.pq.transfer, 'smpte2084');
  });
});
