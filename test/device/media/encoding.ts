/** Runs the encoder's own arguments over a short raw programme, and says what ffprobe finds in what comes out. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { encoderArgs, FIRST_TRACK_FD } from '../../../device/media/arguments/encoder-args.ts';
import { rateArgument } from '../../../device/media/ladder/frame-rate.ts';
import { planLadder, type LadderPlan } from '../../../device/media/ladder/ladder-plan.ts';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';

export interface Made {
  plan: LadderPlan;
  /** The transport stream, or one file a track. */
  files: string[];
}

export interface FoundStream {
  index: number;
  codec_name: string;
  profile?: string;
  level?: number;
  pix_fmt?: string;
  width?: number;
  height?: number;
  display_aspect_ratio?: string;
  sample_aspect_ratio?: string;
  r_frame_rate?: string;
  channels?: number;
  sample_rate?: string;
  packets: { pts: number; key: boolean; bytes: number }[];
}

/** `picture` is a lavfi source without size and rate; noise is what every rate control finds hardest. */
export function encode(dir: string, renditions: RenditionSpec[], seconds: number, picture = 'testsrc2'): Made {
  const plan = planLadder(renditions);
  const size = `s=${plan.width}x${plan.height}:r=${rateArgument(plan.rate)}`;
  const raw = { video: join(dir, 'programme.yuv'), audio: join(dir, 'programme.pcm') };
  const [source, ...filters] = picture.split(',');
  const graph = [`${source}=${size}`, ...filters, `format=${plan.samples}`].join(',');
  const make = (...args: string[]): void => void execFileSync('ffmpeg', ['-v', 'error', '-y', ...args]);
  if (plan.hasVideo) make('-f', 'lavfi', '-i', graph, '-t', String(seconds), '-f', 'rawvideo', raw.video);
  make(
    '-f',
    'lavfi',
    '-i',
    'anoisesrc=r=48000:a=0.3',
    '-t',
    String(seconds),
    '-ac',
    String(plan.sentBytes / 2),
    '-f',
    's16le',
    raw.audio,
  );
  const tracks = plan.fragmented ? [...plan.videos, ...plan.audios] : [];
  const files = plan.fragmented ? tracks.map((_, i) => join(dir, `track-${i}.mp4`)) : [join(dir, 'out.ts')];
  const open = [
    openSync(plan.fragmented ? '/dev/null' : files[0]!, 'w'),
    openSync(plan.hasVideo ? raw.video : '/dev/null', 'r'),
    openSync(raw.audio, 'r'),
    openSync('/dev/null', 'w'),
    ...tracks.map((_, i) => openSync(files[i]!, 'w')),
  ];
  const [out, video, audio, progress, ...more] = open;
  // Descriptors as the runner hands them over.
  const stdio = ['ignore' as const, out!, 'pipe' as const, video!, audio!, progress!, ...more];
  if (stdio.length !== FIRST_TRACK_FD + more.length) throw new Error('The descriptors of the tracks have moved.');
  const { status, stderr } = spawnSync('ffmpeg', encoderArgs(plan, 10), { stdio, timeout: 120_000 });
  for (const fd of open) closeSync(fd);
  if (status !== 0) throw new Error(`ffmpeg ended with ${status}: ${String(stderr)}`);
  return { plan, files };
}

export function found({ files }: Made): FoundStream[] {
  return files
    .flatMap((file): FoundStream[] => {
      const what = ['-show_streams', '-show_packets', '-of', 'json', file];
      const { streams, packets } = JSON.parse(
        execFileSync('ffprobe', ['-v', 'error', ...what], { encoding: 'utf8', maxBuffer: 64 << 20 }),
      ) as { streams: FoundStream[]; packets: any[] };
      return streams.map((stream) => ({
        ...stream,
        packets: packets
          .filter((packet) => packet.stream_index === stream.index)
          .map(({ pts_time: pts, flags, size }) => {
            return { pts: Number(pts), key: String(flags).startsWith('K'), bytes: Number(size) };
          }),
      }));
    })
    .map((stream, index) => ({ ...stream, index }));
}

/** Seconds at which keyframes begin, on one line for all streams. */
export function keyframes({ packets }: FoundStream): number[] {
  return packets.filter(({ key }) => key).map(({ pts }) => Math.round(pts * 1000) / 1000);
}

/** kbit/s of the packets, without what the container adds. */
export function measuredRate({ packets }: FoundStream): number {
  const times = packets.map(({ pts }) => pts);
  const step = packets.length < 2 ? 1 : (Math.max(...times) - Math.min(...times)) / (packets.length - 1);
  return (packets.reduce((sum, { bytes }) => sum + bytes, 0) * 8) / 1000 / (packets.length * step);
}
