/** Sees and hears one source as it comes in, on air or not: its levels, and since when something is wrong with it. */
import type { TrackLevels } from '../../../domain/livestream-status.ts';
import { PictureWatch } from '../../media/frames/picture-watch.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { LevelMeter } from '../../media/sound/level-meter.ts';
import { samplesOf } from '../../media/frames/samples.ts';
import { SourceFormat, type PictureFormat } from './source-format.ts';
import type { Faults } from '../../../domain/failover.ts';

/** A source that gives nothing for so long is lost; pictures come in bursts of less. */
const LOST_MS = 600;

export class SourceWatch {
  readonly format: SourceFormat;
  private readonly picture: PictureWatch | undefined;
  /** One a track that is taken, in the order of their descriptors. */
  private readonly meters: LevelMeter[];
  private lastMediaAt = performance.now();
  private connectedAt = performance.now();
  private silentSince: number | undefined;
  /** Numbers of the tracks in which something has come. */
  private readonly heard = new Set<number>();
  connections = 0;
  /** dBFS that nothing of silence exceeds. */
  silenceDb: number;

  constructor(
    plan: Pick<LadderPlan, 'hasVideo' | 'width' | 'height' | 'audios' | 'tracks'>,
    silenceDb: number,
    onFormat: (from: PictureFormat, to: PictureFormat) => void = () => undefined,
  ) {
    this.format = new SourceFormat(onFormat);
    this.picture = plan.hasVideo ? new PictureWatch(plan) : undefined;
    const tracks = plan.audios.length > 0 ? plan.tracks : [];
    this.meters = tracks.map(({ number, channels }) => new LevelMeter(number ?? 0, channels));
    this.silenceDb = silenceDb;
  }

  /** Takes each frame when it has come. */
  frame(bytes: Uint8Array): void {
    this.lastMediaAt = performance.now();
    this.picture?.look(bytes, this.lastMediaAt);
  }

  /** `i` is the number of the track among those of the programme. */
  sound(chunk: Buffer, i: number): void {
    const meter = this.meters[i];
    if (meter === undefined) return;
    this.heard.add(i);
    const now = performance.now();
    if (this.picture === undefined) this.lastMediaAt = now;
    meter.add(samplesOf(chunk), this.silenceDb);
    // A source is silent when nothing is heard in any language.
    const silentMs = Math.min(...this.meters.map((one, n) => (this.heard.has(n) ? one.silentMs : Infinity)));
    // Sound comes in pieces of up to 0.35 s: what has come of the silence says when it began.
    const began = Math.max(this.connectedAt, Math.min(this.silentSince ?? now, now - silentMs));
    this.silentSince = silentMs > 0 ? began : undefined;
  }

  /** Takes the channels that the source has of each track of the programme; undefined stands for more than two. */
  describe(channels: readonly (1 | 2 | undefined)[]): void {
    for (const [i, meter] of this.meters.entries()) meter.describe(channels[i]);
  }

  /** Another connection to the source begins. */
  restart(): void {
    this.connections += 1;
    this.connectedAt = performance.now();
    this.picture?.restart();
    this.format.restart();
    this.silentSince = undefined;
    this.heard.clear();
  }

  /** Faults of this moment, each since an instant of performance.now(). */
  faults(now: number): Faults {
    const isLost = now - this.lastMediaAt > LOST_MS;
    const { blackSince, stillSince } = this.picture ?? {};
    return {
      ...(isLost && { loss: this.lastMediaAt }),
      ...(!isLost && blackSince !== undefined && { black: blackSince }),
      ...(!isLost && stillSince !== undefined && { frozen: stillSince }),
      ...(!isLost && this.heard.size > 0 && this.silentSince !== undefined && { silent: this.silentSince }),
    };
  }

  /** Empty where no sound comes. */
  get levels(): TrackLevels[] {
    return this.meters.filter((_, i) => this.heard.has(i)).map(({ levels }) => levels);
  }
}
