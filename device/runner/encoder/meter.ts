/** Measures rates over the last second: of the source, and of each rendition as it leaves the encoder. */
import { readFileSync } from 'node:fs';
import { toIso } from '../../../domain/time/clock.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import { fpsOf } from '../../media/ladder/frame-rate.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { Progress } from '../../media/ffmpeg-output/progress.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';

type EncodingRates = RunReport['encodings'][number];

export interface Meterable {
  framesIn: number;
  /** Pictures a second as the source gives them, and its bytes so far where ffmpeg tells them; undefined where neither is counted apart. */
  source: { fps: number; bytes: number | undefined } | undefined;
  ingestPid: number | undefined;
  progress: Progress | undefined;
  dropped: number;
  /** Answers what makes the video of a rendition; undefined where nothing does. */
  encoderOf: (encodingId: number) => EncodingRates['encoder'];
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

export class RateMeter {
  private readonly plan: LadderPlan;
  private readonly stream: EncodedStream;
  private at = performance.now();
  private framesIn = 0;
  private bytesIn = 0;
  private isTold = false;
  private ingestPid: number | undefined;
  private lastFrameAt: number | undefined;
  private rates = { fps: 0, bitrate_kbps: 0 };
  encodings: EncodingRates[];
  /** Pictures that have left in the rendition with the rate of the broadcast, so far. */
  pictures = 0;

  constructor(plan: LadderPlan, stream: EncodedStream) {
    this.plan = plan;
    this.stream = stream;
    this.encodings = plan.renditions.map(({ encodingId }) => ({
      encodingId,
      fps: 0,
      bitrate_kbps: 0,
      speed: 0,
      dropped: 0,
    }));
  }

  get source(): { fps: number; bitrate_kbps: number; last_frame_at: string | null } {
    return { ...this.rates, last_frame_at: this.lastFrameAt === undefined ? null : toIso(this.lastFrameAt) };
  }

  frameArrived(nowMs: number): void {
    this.lastFrameAt = nowMs;
  }

  /** It is called about once a second. */
  sample(now: Meterable): void {
    const seconds = Math.max(0.2, (performance.now() - this.at) / 1000);
    this.at = performance.now();
    if (!this.plan.copy) this.rates = this.ratesOf(now, seconds);
    // A shared audio stream is counted once and belongs to each rendition that has it.
    const { videos, audios } = this.plan;
    const counts = new Map([...videos, ...audios].map(({ pid }) => [pid, this.stream.takeCount(pid)]));
    const leading = videos.find(({ rate }) => fpsOf(rate) === fpsOf(this.plan.rate));
    this.pictures += counts.get(leading?.pid ?? -1)?.units ?? 0;
    this.encodings = this.plan.renditions.map(({ encodingId, video, audios: own }) => {
      const videoCount = counts.get(video?.pid ?? -1);
      const bytesOf = (pid: number): number => counts.get(pid)?.bytes ?? 0;
      const bytes = (videoCount?.bytes ?? 0) + own.reduce((sum, { pid }) => sum + bytesOf(pid), 0);
      const fps = (videoCount?.units ?? 0) / seconds;
      // Nothing is encoded in copy mode: it is as fast as the source.
      const speed = this.plan.copy ? Number(bytes > 0) : (now.progress?.speed ?? 0);
      if (this.plan.copy) this.rates = { fps: round(fps), bitrate_kbps: round((bytes * 8) / 1000 / seconds) };
      const encoder = video && now.encoderOf(encodingId);
      return {
        encodingId,
        fps: round(fps),
        bitrate_kbps: round((bytes * 8) / 1000 / seconds),
        speed: round(speed, 2),
        dropped: now.dropped,
        ...(encoder && { encoder }),
      };
    });
  }

  private ratesOf({ framesIn, source, ingestPid }: Meterable, seconds: number): { fps: number; bitrate_kbps: number } {
    const isTold = source?.bytes !== undefined;
    const bytesIn = source?.bytes ?? bytesRead(ingestPid);
    // The two are counted from other beginnings.
    const goesOn = ingestPid === this.ingestPid && isTold === this.isTold;
    const bits = goesOn ? (bytesIn - this.bytesIn) * 8 : 0;
    const fps = source?.fps ?? round((framesIn - this.framesIn) / seconds);
    Object.assign(this, { framesIn, bytesIn, ingestPid, isTold });
    return { fps, bitrate_kbps: round(bits / 1000 / seconds) };
  }
}

/** Bytes that a process has read so far (proc(5), /proc/<pid>/io). The kernel counts read() on files and pipes, not recv() on sockets. */
function bytesRead(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    return Number(/^rchar: (\d+)/mu.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  } catch {
    // The process has ended, and reads no more.
    return 0;
  }
}
