/** Parts become one file, by real ffmpeg, whatever has torn them and whenever the agent dies. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { isFastStart } from '../../../device/agent/recordings/part-end.ts';
import { Recordings } from '../../../device/agent/recordings/recordings.ts';
import { recordArgs } from '../../../device/media/arguments/publisher-args.ts';
import { recordingsDir } from '../../../device/run-dir.ts';
import type { HeldRecording } from '../../../domain/shapes/media/recording.ts';
import { itLong, someOf } from '../../helpers/counts.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { madeOnce } from '../../helpers/made-once.ts';
import { programArguments } from '../../helpers/program.ts';

import { until } from '../../helpers/until.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const KEY = { livestreamId: 7, runId: 'run-1', publishingId: 23 };
const AAC = ['-c:a', 'aac', '-ar', '48000'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '50', '-pix_fmt', 'yuv420p'];

interface Device {
  dir: string;
  folder: string;
  changes: HeldRecording[];
  over: Set<string>;
  recordings: Recordings;
  /** A new agent on the same disk. */
  again(): Recordings;
  names(): string[];
}

function device(t: TestContext): Device {
  const dir = mkdtempSync(join(tmpdir(), 'onair-recordings-'));
  const folder = recordingsDir(dir, KEY.livestreamId);
  mkdirSync(folder, { recursive: true });
  const changes: HeldRecording[] = [];
  const over = new Set<string>([KEY.runId]);
  const all: Recordings[] = [];
  const again = (): Recordings => {
    const recordings = new Recordings({ deviceDir: dir, log: silentLog, isOver: ({ runId }) => over.has(runId) });
    recordings.watch((held) => changes.push(held));
    all.push(recordings);
    return recordings;
  };
  cleanUp(t, async () => {
    await Promise.all(all.map((recordings) => recordings.leave()));
    rmSync(dir, { recursive: true });
  });
  return { dir, folder, changes, over, recordings: again(), again, names: () => readdirSync(folder).sort() };
}

interface Made {
  seconds?: number;
  size?: string;
  container?: 'mp4' | 'ts';
  video?: string[];
  audio?: string[];
}

/** A part as a runner's publisher writes it. */
function part({ folder }: Device, n: number, made: Made = {}): string {
  const { seconds = 2, size = '320x180', container = 'mp4', video = H264, audio = AAC } = made;
  const path = join(folder, `run-1-23-${n}.${container}`);
  const source = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=s=${size}:r=25:d=${seconds}`,
    '-f',
    'lavfi',
    '-i',
    `sine=r=48000:d=${seconds}`,
  ];
  const encoded = ['-hide_banner', '-loglevel', 'error', '-y', ...source, ...video, ...audio];
  const args = recordArgs({ container, video: ['h264'], audio: ['opus'] }, path);
  // From the container on, as the product has them; what is before tells how the fan-out is read.
  const written = args
    .slice(args.indexOf('-f', args.indexOf('copy')))
    .filter(isForFile)
    .slice(0, -1);
  return madeOnce(path, [encoded, written], (target) => execFileSync('ffmpeg', [...encoded, ...written, target]));
}

const isForFile = (word: string, at: number, all: string[]): boolean =>
  !['-progress', '-stats_period'].includes(word) && !['-progress', '-stats_period'].includes(all[at - 1] ?? '');

function probe(path: string, ...entries: string[]): string {
  return execFileSync('ffprobe', ['-v', 'error', ...entries, '-of', 'csv=p=0', path], { encoding: 'utf8' }).trim();
}

/** Decoded to the end without a complaint; answers the number of pictures. */
function pictures(path: string): number {
  const complaints = execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'null', '-'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  assert.equal(complaints.toString(), '');
  // An MPEG-TS tells it twice, of its programme and of its stream.
  return Number.parseInt(
    probe(path, '-count_packets', '-select_streams', 'v:0', '-show_entries', 'stream=nb_read_packets'),
  );
}

/** Superfluous files go a moment after the facts are known. */
async function settled(on: Device, recordings = on.recordings): Promise<HeldRecording> {
  recordings.look();
  return until('it is finished', async () => {
    const held = (await recordings.list()).find(({ state }) => state === 'finished' || state === 'failed');
    return held !== undefined && on.names().filter((name) => /\.(?:mp4|ts)$/u.test(name)).length === held.files && held;
  });
}

describe('joined parts', () => {
  it('a Recording of three parts, one torn by a kill, is one file: whole fragments, index first, parts gone', async (t) => {
    const on = device(t);
    const first = part(on, 1, { seconds: 4 });
    truncateSync(first, statSync(first).size - 5000);
    part(on, 2, { seconds: 2 });
    part(on, 3, { seconds: 3 });
    const held = await settled(on);
    assert.deepEqual(on.names(), ['run-1-23-1to3.mp4', 'run-1-23.json']);
    const path = join(on.folder, 'run-1-23-1to3.mp4');
    assert.ok(await isFastStart(path), 'moov comes before mdat');
    const count = pictures(path);
    // Half a second a fragment: what was torn is one of them.
    assert.ok(count >= 225 - 13 && count < 225, `${count} pictures`);
    const seconds = Number(probe(path, '-show_entries', 'format=duration'));
    assert.ok(Math.abs(held.duration_seconds! - seconds) < 0.01, `${held.duration_seconds} s told, ${seconds} s found`);
    assert.ok(Math.abs(seconds - count / 25) < 0.2, `${seconds} s for ${count} pictures`);
    assert.deepEqual(
      held.tracks.map(({ kind, codec, width, height }) => [kind, codec, width, height]),
      [
        ['video', 'h264', 320, 180],
        ['audio', 'mp4a', null, null],
      ],
    );
    assert.deepEqual([held.files, held.size_bytes, held.reason], [1, statSync(path).size, null]);
    await until('it is changes', () => on.changes.length > 0);
    assert.deepEqual(
      on.changes.map(({ state }) => state),
      ['finished'],
    );
    const [file] = await on.recordings.files(KEY);
    assert.equal(file!.path, path);
  });

  it('parts are joined only once their run is over; until then each can be played as it is', async (t) => {
    const on = device(t);
    on.over.clear();
    const path = part(on, 1);
    on.recordings.look();
    const [held] = await on.recordings.list();
    assert.equal(held!.state, 'recording');
    assert.equal(pictures(path), 50);
    await assert.rejects(on.recordings.remove(KEY), { code: 'wrong_state' });
    on.over.add(KEY.runId);
    assert.equal((await settled(on)).state, 'finished');
    await on.recordings.remove(KEY);
    assert.deepEqual(await on.recordings.list(), []);
    await assert.rejects(on.recordings.files(KEY), { code: 'not_found' });
    await on.recordings.remove(KEY);
  });

  const KINDS = Object.entries({
    'MPEG-TS': { container: 'ts' },
    HEVC: { video: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-tag:v', 'hvc1'] },
    'AV1 with Opus': { video: ['-c:v', 'libsvtav1', '-preset', '12'], audio: ['-c:a', 'libopus'] },
    'VP9 with Opus': {
      video: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'],
      audio: ['-c:a', 'libopus'],
    },
  } satisfies Record<string, Made>);
  for (const [name, made] of someOf(KINDS, 1))
    it(`parts of ${name} become one file`, async (t) => {
      const on = device(t);
      for (const n of [1, 2]) part(on, n, made);
      const held = await settled(on);
      const ending = 'container' in made ? 'ts' : 'mp4';
      assert.deepEqual(on.names(), [`run-1-23-1to2.${ending}`, 'run-1-23.json'], held.reason ?? '');
      assert.equal(pictures(join(on.folder, `run-1-23-1to2.${ending}`)), 100);
      assert.ok(Math.abs(held.duration_seconds! - 4) < 0.2, `${held.duration_seconds} s`);
    });
});

describe('the set-up of AAC', () => {
  /** A part as it is written of the fan-out's transport stream; `flag` says when its index is. */
  function streamed({ folder }: Device, n: number, flag: 'delay_moov' | 'empty_moov' = 'delay_moov'): string {
    const path = join(folder, `run-1-23-${n}.mp4`);
    const source = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=2', '-f', 'lavfi', '-i', 'sine=r=48000:d=2'];
    const mux = ['-muxdelay', '0', '-muxpreload', '0', '-pes_payload_size', '0', '-f', 'mpegts', '-'];
    const stream = execFileSync('ffmpeg', ['-v', 'error', ...source, ...H264, ...AAC, '-ac', '2', ...mux], {
      maxBuffer: 1 << 26,
    });
    const args = recordArgs({ container: 'mp4', video: ['h264'], audio: ['mp4a'] }, path);
    const written = args.map((word) => word.replace('delay_moov', flag)).filter(isForFile);
    execFileSync('ffmpeg', written, { input: stream, stdio: ['pipe', 'ignore', 'ignore'] });
    return path;
  }
  const setUp = (path: string): string =>
    probe(path, '-select_streams', 'a:0', '-show_entries', 'stream=profile,extradata_size');

  it('the set-up of AAC is in a part written of a transport stream, and picture and sound begin together', (t) => {
    const path = streamed(device(t), 1);
    assert.equal(setUp(path), 'LC,2');
    const starts = probe(path, '-show_entries', 'stream=start_time').split('\n').map(Number);
    // The first frame of sound begins a priming frame (21 ms) before the first picture.
    assert.ok(Math.abs(starts[0]! - starts[1]! - 0.021) < 0.01, `${starts}`);
  });

  itLong('the set-up of AAC is in the file made of parts of an earlier version, which lack it', async (t) => {
    const on = device(t);
    assert.doesNotMatch(setUp(streamed(on, 1, 'empty_moov')), /LC/u);
    streamed(on, 2, 'empty_moov');
    // The runner of a newer version went on with the run.
    streamed(on, 3);
    const held = await settled(on);
    assert.deepEqual(on.names(), ['run-1-23-1to3.mp4', 'run-1-23.json'], held.reason ?? '');
    const path = join(on.folder, 'run-1-23-1to3.mp4');
    assert.equal(setUp(path), 'LC,2');
    assert.equal(pictures(path), 150);
    assert.ok(Math.abs(held.duration_seconds! - 6) < 0.3, `${held.duration_seconds} s`);
  });
});

describe('parts that cannot be joined', () => {
  it('a Recording stays in its parts when they are set up differently, and says so', async (t) => {
    const on = device(t);
    part(on, 1);
    part(on, 2, { size: '640x360' });
    const held = await settled(on);
    assert.deepEqual(on.names(), ['run-1-23-1.mp4', 'run-1-23-2.mp4', 'run-1-23.json']);
    assert.deepEqual([held.state, held.files], ['finished', 2]);
    assert.match(held.reason ?? '', /run-1-23-2\.mp4 is set up differently/u);
    assert.ok(Math.abs(held.duration_seconds! - 4) < 0.2, `${held.duration_seconds} s`);
  });

  it('a part that nobody can read is set aside and reported, and the others become one file', async (t) => {
    const on = device(t);
    part(on, 1);
    const broken = part(on, 2);
    const size = statSync(broken).size;
    // The fragments are where they were, what describes them is not.
    execFileSync('dd', ['if=/dev/zero', `of=${broken}`, 'bs=1', 'seek=40', 'count=900', 'conv=notrunc', 'status=none']);
    assert.equal(statSync(broken).size, size);
    part(on, 3);
    const held = await settled(on);
    assert.deepEqual(on.names(), ['run-1-23-1to3.mp4', 'run-1-23-2.mp4.damaged', 'run-1-23.json']);
    assert.match(held.reason ?? '', /1 of its parts could not be read/u);
    assert.equal(pictures(join(on.folder, 'run-1-23-1to3.mp4')), 100);
    await on.recordings.remove(KEY);
    assert.deepEqual(await on.recordings.list(), []);
  });

  it('a Recording waits where there is no room to join it, says why once, and goes on when there is', async (t) => {
    const on = device(t);
    mkdirSync(on.folder, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', on.folder], { stdio: 'ignore' });
    } catch {
      return t.skip('this user may not mount a filesystem');
    }
    cleanUp(t, () => execFileSync('umount', ['-l', on.folder]));
    for (const n of [1, 2]) part(on, n);
    const ballast = join(on.folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(13 << 20));
    on.recordings.look();
    await until('it waits', () => on.changes.length > 0);
    on.recordings.look();
    const [held] = await on.recordings.list();
    assert.deepEqual([held!.state, held!.files], ['joining', 2]);
    assert.match(held!.reason ?? '', /no room to make it one file: \d+ MB are free, \d+ MB needed/u);
    rmSync(ballast);
    assert.equal((await settled(on)).files, 1);
    await until('it is told', () => on.changes.length > 1);
    assert.deepEqual(
      on.changes.map(({ state }) => state),
      ['joining', 'finished'],
    );
  });

  it('a Recording has failed when none of it can be read, and leaves nothing when there never was media', async (t) => {
    const on = device(t);
    writeFileSync(join(on.folder, 'run-1-23-1.ts'), Buffer.alloc(188 * 20));
    const held = await settled(on);
    assert.equal(held.state, 'failed');
    assert.match(held.reason ?? '', /None of its parts can be read/u);
    assert.deepEqual(on.names(), ['run-1-23-1.ts', 'run-1-23.json']);
    await on.recordings.remove(KEY);

    mkdirSync(on.folder, { recursive: true });
    truncateSync(part(on, 1), 700);
    on.recordings.look();
    await until('the header is gone', async () => (await on.recordings.list()).length === 0);
  });
});

describe('an agent that dies while it joins', () => {
  const whole = async (on: Device): Promise<void> => {
    const next = on.again();
    await next.adopt();
    await settled(on, next);
    await until('nothing else is left', () => on.names().length === 2);
    assert.deepEqual(on.names(), ['run-1-23-1to2.mp4', 'run-1-23.json']);
    assert.equal(pictures(join(on.folder, 'run-1-23-1to2.mp4')), 100);
  };

  itLong('a joined file is made again when the agent dies before it has its name', async (t) => {
    const on = device(t);
    for (const n of [1, 2]) part(on, n);
    writeFileSync(join(on.folder, '.joining-half.mp4'), 'half');
    await whole(on);
  });

  itLong('a joined file is kept, and its parts go, when the agent dies between the name and the facts', async (t) => {
    const on = device(t);
    const aside = testFolder(t, 'parts');
    for (const n of [1, 2]) copyFileSync(part(on, n), join(aside, `run-1-23-${n}.mp4`));
    await settled(on);
    rmSync(join(on.folder, 'run-1-23.json'));
    for (const name of readdirSync(aside)) copyFileSync(join(aside, name), join(on.folder, name));
    const { ino } = statSync(join(on.folder, 'run-1-23-1to2.mp4'));
    await whole(on);
    assert.equal(statSync(join(on.folder, 'run-1-23-1to2.mp4')).ino, ino, 'it was not made again');
  });

  it('an agent that is killed at any moment of joining never leaves half a file under its name', async (t) => {
    for (const afterMs of someOf([40, 0, 15, 80, 140, 220], 1)) {
      const on = device(t);
      for (const n of [1, 2]) part(on, n);
      const program = programArguments(new URL('fixtures/killed-adoption.ts', import.meta.url));
      try {
        execFileSync(process.execPath, [...program, on.dir, String(afterMs)], { stdio: 'ignore' });
        assert.fail('it was to be killed');
      } catch (error) {
        assert.equal((error as { signal?: string }).signal, 'SIGKILL', String(error));
      }
      await whole(on);
    }
  });

  itLong(
    'a later part is added to a joined file when the agent dies and the run goes on after the joining',
    async (t) => {
      const on = device(t);
      for (const n of [1, 2]) part(on, n);
      await settled(on);
      on.over.clear();
      part(on, 3);
      assert.equal((await on.recordings.list())[0]!.state, 'recording');
      on.over.add(KEY.runId);
      const held = await settled(on);
      await until('its parts are gone', () => on.names().length === 2);
      assert.deepEqual(on.names(), ['run-1-23-1to3.mp4', 'run-1-23.json'], held.reason ?? '');
      assert.equal(pictures(join(on.folder, 'run-1-23-1to3.mp4')), 150);
    },
  );
});
