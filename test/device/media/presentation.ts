/** One set of segments behind an HLS master playlist and an MPD, in a folder; ffprobe plays it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { breakIn, breakOut, type ManifestBreak } from '../../../device/media/scte35/cue-message.ts';
import {
  dashManifestText,
  type DashManifest,
  type DashRepresentation,
} from '../../../device/media/manifests/dash-manifest.ts';
import {
  masterPlaylistText,
  mediaPlaylistText,
  type MediaPlaylist,
} from '../../../device/media/manifests/hls-playlist.ts';
import { encodeSplice } from '../../../device/media/scte35/scte35.ts';
import { SegmentRates } from '../../../device/media/mpeg-ts/transport-rate.ts';
import { LADDER_FRAMES, LADDER_TRACKS, ladderStream, packaged, RULE, type Cut } from './packaging.ts';
import { testFolder } from '../../helpers/test-folder.ts';

export const dir = testFolder({ after }, 'manifests');

export const stream = ladderStream();
export const tracks = await packaged(stream, LADDER_TRACKS);
const ORIGIN_MS = Date.UTC(2026, 0, 1);
const FRAME_RATE = { num: 30, den: 1 };

/** The wall clock of a time of the stream, which begins at 10 s. */
export function clock(seconds: number): string {
  return new Date(Math.round(ORIGIN_MS + (seconds - 10) * 1000)).toISOString();
}

export function rates({ segments }: Cut, id: string): SegmentRates {
  const measured = new SegmentRates(RULE.segmentSeconds);
  for (const { parts, seconds } of segments) measured.add(parts.get(id)!.bytes.length * 8, seconds);
  return measured;
}

/** Times and names of the MPD; a new period at each discontinuity. */
export function manifest(result: Cut, more: Partial<DashManifest> = {}): DashManifest {
  const { segments, inits } = result;
  const begins = segments.flatMap(({ discontinuity }, i) => (i === 0 || discontinuity ? [i] : []));
  const periods = begins.map((from, n) => {
    const listed = segments.slice(from, begins[n + 1]);
    const origin = listed[0]!.startSeconds;
    const representation = (id: string): DashRepresentation => {
      const init = inits.get(id)!;
      return {
        id,
        codecs: init.codecs,
        bandwidth: rates(result, id).peak,
        timescale: init.timescale,
        video: init.kind === 'audio' ? undefined : { width: init.width!, height: init.height!, frameRate: FRAME_RATE },
        audio: init.kind === 'video' ? undefined : { sampleRate: init.sampleRate!, channels: init.channels! },
        presentationTimeOffset: Math.round(origin * init.timescale),
        init: `${id}/init.mp4`,
        media: `${id}/$Number$.m4s`,
        startNumber: from,
        segments: listed.map(({ parts }) => parts.get(id)!),
      };
    };
    const pictures = ['v0', 'v1', 'v2'].map(representation);
    const common = { language: undefined, protection: undefined };
    const sets = [
      { id: 0, kind: 'video' as const, ...common, representations: pictures },
      { id: 1, kind: 'audio' as const, ...common, language: 'en', representations: [representation('a0')] },
    ];
    return { id: `p${n}`, startSeconds: origin - 10, sets };
  });
  return {
    kind: 'recording',
    availabilityStartAt: clock(10),
    publishedAt: clock(30),
    segmentSeconds: 3,
    timeShiftSeconds: 60,
    presentationDelaySeconds: 9,
    utcTiming: undefined,
    periods,
    breaks: [],
    ...more,
  };
}

export function mediaPlaylist({ segments }: Cut, id: string, more: Partial<MediaPlaylist> = {}): MediaPlaylist {
  return {
    version: 7,
    targetSeconds: 3,
    mediaSequence: 0,
    discontinuitySequence: 0,
    ended: true,
    breaks: [],
    segments: segments.map(({ parts, startSeconds, discontinuity }, i) => {
      const { duration, timescale } = parts.get(id)!;
      const times = { seconds: duration / timescale, programDateTime: clock(startSeconds), discontinuity };
      return { uri: `${i}.m4s`, map: 'init.mp4', ...times };
    }),
    ...more,
  };
}

export function master(result: Cut): string {
  const rate = (id: string) => ({ bandwidth: rates(result, id).peak, averageBandwidth: rates(result, id).average });
  return masterPlaylistText({
    version: 7,
    variants: ['v0', 'v1', 'v2'].map((id) => {
      const { codecs, width, height } = result.inits.get(id)!;
      const picture = { codecs: [codecs], resolution: { width: width!, height: height! }, frameRate: 30 };
      return { uri: `${id}/index.m3u8`, ...picture, ...rate(id), audioGroup: 'sound' };
    }),
    audios: [
      {
        group: 'sound',
        name: 'Original "A"',
        uri: 'a0/index.m3u8',
        codecs: 'mp4a.40.2',
        channels: 2,
        language: 'en',
        isDefault: true,
        ...rate('a0'),
      },
    ],
    captions: [],
    keys: [],
  });
}

/** The folder that a web server would hand out. */
export function publish(name: string, result: Cut): string {
  const folder = join(dir, name);
  for (const [id, init] of result.inits) {
    mkdirSync(join(folder, id), { recursive: true });
    writeFileSync(join(folder, id, 'init.mp4'), init.bytes);
    for (const [i, { parts }] of result.segments.entries())
      writeFileSync(join(folder, id, `${i}.m4s`), parts.get(id)!.bytes);
    writeFileSync(join(folder, id, 'index.m3u8'), mediaPlaylistText(mediaPlaylist(result, id)));
  }
  writeFileSync(join(folder, 'index.m3u8'), master(result));
  writeFileSync(join(folder, 'index.mpd'), dashManifestText(manifest(result)));
  return folder;
}

export interface Played {
  codec: string;
  width: number | undefined;
  /** Seconds of each packet. */
  times: number[];
}

/** The content behind a manifest as a player finds it: all its streams, all their packets. It must have nothing to complain about. */
export function play(path: string): Played[] {
  const entries = 'stream=index,codec_name,width:packet=stream_index,pts_time';
  const args = ['-v', 'warning', '-show_entries', entries, '-of', 'json', path];
  const { stdout, stderr } = spawnSync('ffprobe', args, { encoding: 'utf8', maxBuffer: 32 << 20 });
  assert.equal(stderr, '');
  const { streams, packets } = JSON.parse(stdout) as any;
  return streams.map(({ index, codec_name, width }: any) => {
    const own = packets.filter(({ stream_index }: any) => stream_index === index);
    return { codec: codec_name, width, times: own.map(({ pts_time }: any) => Number(pts_time)) };
  });
}

export function assertWhole(streams: Played[]): void {
  const pictures = streams.filter(({ codec }) => codec === 'h264');
  assert.deepEqual(pictures.map(({ width }) => width).sort(), [160, 192, 256]);
  for (const { times } of pictures) {
    assert.equal(times.length, LADDER_FRAMES);
    for (const [i, time] of times.slice(1).entries())
      assert.ok(Math.abs(time - times[i]! - 1 / 30) < 0.001, `gap at ${time}`);
  }
  const sounds = streams.filter(({ codec }) => codec === 'aac');
  assert.ok(sounds.length > 0);
  for (const { times } of sounds) {
    // What lies half a frame and more before the first picture is left out.
    assert.ok(times.length >= Math.floor((12.4 * 48_000) / 1024) - 1, `${times.length}`);
    for (const [i, time] of times.slice(1).entries())
      assert.ok(Math.abs(time - times[i]! - 1024 / 48_000) < 0.001, `gap at ${time}`);
    assert.ok(Math.abs(times[0]! - pictures[0]!.times[0]!) < 0.0215, 'sound and picture begin together');
  }
}

export const OUT = encodeSplice(breakOut({ eventId: 3, ticks: 14 * 90_000, durationTicks: 3 * 90_000 }));
export const IN = encodeSplice(breakIn({ eventId: 3, ticks: 17 * 90_000 }));
export const running: ManifestBreak = {
  id: 3,
  startAt: clock(14),
  plannedSeconds: 3,
  out: OUT,
  cueTags: true,
  end: undefined,
};
export const over: ManifestBreak = { ...running, end: { at: clock(17), in: IN } };
