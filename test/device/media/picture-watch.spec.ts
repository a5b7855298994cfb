/** Black and frozen pictures, found in real encodes as a source brings them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { frameBytes } from '../../../device/media/light/frame-form.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { SourceWatch } from '../../../device/runner/input/source-watch.ts';
import { SourceSignals } from '../../../device/runner/playout/source-signals.ts';
import type { Child } from '../../../device/runner/process/child.ts';
import type { EventLog } from '../../../device/runner/process/event-log.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { Detect } from '../../../domain/shapes/broadcasts/sound.ts';
import { rendition } from '../runner/specs.ts';
import { PictureWatch } from '../../../device/media/frames/picture-watch.ts';
import { someOf } from '../../helpers/counts.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const SIZE = { width: 640, height: 360 };
const RATE = 25;
const FRAME = (SIZE.width * SIZE.height * 3) / 2;
const AREA = `${SIZE.width}x${SIZE.height}`;
const LOOP = `loop=-1:1,setpts=N/${RATE}/TB`;
const PICTURE = `testsrc2=size=${AREA}:rate=${RATE},trim=end_frame=1`;
const STILL = `${PICTURE},${LOOP}`;
/** A frame that a server repeats, with the grain that it has. */
const NOISY = `${PICTURE},noise=alls=20,${LOOP}`;
const SECONDS = 4;
/** A head of a contrast of 50 before a wall, as a camera sees it that is somewhat out of focus. */
const SOFT =
  `color=gray:size=800x400:rate=${RATE},trim=end_frame=1,drawbox=x=300:y=100:w=160:h=200:color=white@0.4:t=fill,` +
  `gblur=sigma=30,${LOOP},crop=${SIZE.width}:${SIZE.height}:x='80+6*sin(2*PI*0.5*t)':y=20`;

const STANDING = [
  ['a still picture at a low bitrate', STILL, ['-b:v', '100k', '-maxrate', '100k', '-bufsize', '100k']],
  ['a still picture with grain', NOISY, ['-b:v', '700k']],
  ['a still picture with grain at a low bitrate', NOISY, ['-b:v', '250k', '-maxrate', '250k', '-bufsize', '250k']],
  ['a dark still picture with grain', `${PICTURE},eq=brightness=-0.3,noise=alls=12,${LOOP}`, ['-b:v', '400k']],
] as const;

/** Encodes a picture with x264, decodes it, and has it looked at. Returns milliseconds since it stands still and is black. */
function watched(t: TestContext, picture: string, ...coding: string[]): { still: number; black: number } {
  const path = join(testFolder(t, 'watch'), 'picture.ts');
  const input = ['-v', 'error', '-y', '-f', 'lavfi', '-i', picture, '-t', String(SECONDS), '-pix_fmt', 'yuv420p'];
  execFileSync('ffmpeg', [...input, '-c:v', 'libx264', '-preset', 'veryfast', '-g', '50', ...coding, path]);
  const decode = ['-v', 'error', '-i', path, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-'];
  const frames = execFileSync('ffmpeg', decode, { maxBuffer: 1 << 29 });
  const watch = new PictureWatch(SIZE);
  let now = 0;
  for (let n = 0; (n + 1) * FRAME <= frames.length; n += 1) {
    now = (n * 1000) / RATE;
    watch.look(frames.subarray(n * FRAME, (n + 1) * FRAME), now);
  }
  const since = (begun: number | undefined): number => (begun === undefined ? 0 : now - begun);
  return { still: since(watch.stillSince), black: since(watch.blackSince) };
}

describe('what is noticed in the pictures of a source', () => {
  for (const [name, picture, coding] of someOf(STANDING, 2))
    it(`${name} stands still`, (t) => {
      const { still, black } = watched(t, picture, ...coding);
      assert.ok(still >= (SECONDS - 2.5) * 1000, `for ${still} ms`);
      assert.equal(black, 0);
    });

  const text = (size: number, words: string): string =>
    `drawtext=text='${words}':fontsize=${size}:fontcolor=white:box=1:boxcolor=black:x=20:y=20`;
  const moving = [
    ['a running clock of 3 % of the height', text(12, '%{pts\\:hms}')],
    ['a running frame counter of 3 % of the height', text(12, '%{frame_num}')],
    ['nothing but a soft shape of little contrast that nods by 1 % of the width', SOFT],
    ['a clock of seconds of 4 % of the height', text(16, '%{pts\\:gmtime\\:0\\:%H %M %S}')],
    ['a slow pan', `pad=iw*2:ih,crop=${SIZE.width}:${SIZE.height}:x=n:y=0`],
  ] as const;
  for (const [name, counter] of someOf(moving, 2))
    it(`a still picture with ${name} does not stand still`, (t) => {
      const picture = counter === SOFT ? SOFT : `${STILL},${counter}`;
      const { still } = watched(t, picture, '-b:v', '400k');
      assert.ok(still <= 1500, `for ${still} ms`);
    });

  it('black is black, with grain too, and stands still', (t) => {
    const { still, black } = watched(t, `color=black:size=${AREA}:rate=${RATE},noise=alls=4:allf=t`, '-b:v', '400k');
    assert.ok(black > (SECONDS - 0.5) * 1000, `black for ${black} ms`);
    assert.ok(still > (SECONDS - 2.5) * 1000, `still for ${still} ms`);
  });

  it('a source that has been lost is silent and still from its return on, on the same connection too', () => {
    const watch = new SourceWatch(planLadder([rendition(1, 16, 16, 100)]), -60);
    const picture = new Uint8Array(frameBytes({ width: 16, height: 16 })).fill(100);
    let now = 0;
    const come = (ms: number): void => {
      for (const end = now + ms; now < end; now += 100) {
        watch.frame(picture, now);
        watch.sound(Buffer.alloc(4800 * 4), 0, now);
      }
    };
    come(6000);
    const { silent, frozen } = watch.faults(now);
    assert.ok(now - silent! > 5000 && now - frozen! > 5000);
    now += 4000;
    assert.deepEqual(Object.keys(watch.faults(now)), ['loss']);
    // A filter fills up the time of the loss.
    watch.sound(Buffer.alloc(4 * 48_000 * 4), 0, now);
    come(900);
    const back = watch.faults(now);
    assert.deepEqual([now - back.silent! <= 1000, now - back.frozen! <= 1200, back.loss], [true, true, undefined]);
  });

  it('a source that gives fewer pictures than it has is said with both rates until they come again; another rate is none', (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    const watch = new SourceWatch(planLadder([rendition(1, 16, 16, 100)]), -60);
    let read = (_line: string): void => undefined;
    watch.format.read({ alsoRead: (reader: typeof read) => (read = reader) } as unknown as Child);
    const events: unknown[] = [];
    const add = (kind: string, _severity: string, message: string): unknown => events.push([kind, message]);
    const signals = new SourceSignals({ add } as unknown as EventLog);
    const source = { name: 'Cam', channelId: 3 } as SourceSpec;
    const unwatched = { silence: null, black: null, frozen: null };
    const picture = new Uint8Array(frameBytes({ width: 16, height: 16 })).fill(100);
    let n = 0;
    const look = (detect: Detect | null = unwatched): void =>
      signals.look(source, watch.faults(now), detect, now, watch.format.shortage);
    /** The source has 30 pictures a second; those that `isLost` tells do not come. */
    const come = (seconds: number, isLost: (n: number) => boolean = () => false): void => {
      for (const end = n + seconds * 30; n < end; n += 1) {
        now = (n * 1000) / 30;
        if (!isLost(n)) {
          read(`[Parsed_showinfo_0 @ 0x1] n: ${n} pts: ${n} pts_time:${now / 1000} fmt:yuv420p s:16x16 i:P iskey:0`);
          watch.frame(picture, now);
        }
        if (n % 3 === 0) look();
      }
    };
    const some = (at: number): boolean => at % 7 === 0;
    come(5);
    come(9, some);
    assert.deepEqual(events, [], 'not at once');
    come(3, some);
    assert.match(String(events), /^low_fps,Channel "Cam" gives 2[56] of its 30 pictures a second, for 10 s now\.$/u);
    const [condition] = signals.conditions;
    assert.deepEqual([condition?.kind, condition?.wanted_fps, signals.flags], ['low_fps', 30, 0]);
    assert.ok(condition?.fps === 25 || condition?.fps === 26);
    come(3);
    assert.match(String(events[1]), /^low_fps_ended,Channel "Cam" gives all its pictures again after 1[23] s\.$/u);
    assert.deepEqual([events.length, signals.conditions], [2, []]);
    come(15, (at) => at % 2 === 0);
    assert.deepEqual([events.length, watch.format.wanted], [2, 15], 'another rate is a change of its form');
    come(15, (at) => at % 5 !== 0);
    assert.equal(events.length, 3);
    now += 4000;
    look();
    assert.deepEqual([events.length, signals.conditions], [3, []], 'a source that is lost has not become better');
    n = Math.ceil((now * 30) / 1000);
    look(null);
    come(15, some);
    assert.deepEqual([events.length, signals.conditions], [3, []], 'nothing is short of what came since the return');
  });

  it('a dark scene is not black', (t) => {
    assert.equal(watched(t, `color=0x202020:size=${AREA}:rate=${RATE}`, '-b:v', '400k').black, 0);
  });
});
