/** Sees and hears one source as it comes in, on air or not: its levels, and since when something is wrong with it. */
import type { TrackLevels } from '../../../domain/livestream-status.ts';
import { PictureWatch } from '../../media/frames/picture-watch.ts';
import { CHANNELS, type LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { LevelMeter } from '../../media/sound/level-meter.ts';
import { samplesOf } from '../../media/frames/samples.ts';
import type { Faults } from '../../../domain/failover.ts';

/** A source that gives nothing for so long is lost; pictures come in bursts of less. */
const LOST_MS = 600;

export class SourceWatch {
  private readonly picture: PictureWatch | undefined;
  private readonly meter: LevelMeter | undefined;
  private lastMediaAt = performance.now();
  private silentSince: number | undefined;
  private hasSound = false;
  /** Dbfs that nothing of silence exceeds. */
  silenceDb: number;

  constructor(plan: Pick<LadderPlan, 'hasVideo' | 'width' | 'height' | 'audios'>, silenceDb: number) {
    this.picture = plan.hasVideo ? new PictureWatch(plan) : undefined;
    this.meter = plan.audios.length > 0 ? new LevelMeter(0, CHANNELS) : undefined;
    this.silenceDb = silenceDb;
  }

  /** Takes each frame when it has come. */
  frame(bytes: Uint8Array): void {
    this.lastMediaAt = performance.now();
    this.picture?.look(bytes, this.lastMediaAt);
  }

  sound(chunk: Buffer): void {
    const { meter } = this;
    if (meter === undefined) return;
    this.hasSound = true;
    const now = performance.now();
    if (this.picture === undefined) this.lastMediaAt = now;
    meter.add(samplesOf(chunk));
    this.silentSince = meter.newestPeak < this.silenceDb ? (this.silentSince ?? now) : undefined;
  }

  /** Another connection to the source begins. */
  restart(): void {
    this.picture?.restart();
    this.silentSince = undefined;
    this.hasSound = false;
  }

  /** Faults of this moment, each since an instant of performance.now(). */
  faults(now: number): Faults {
    const isLost = now - this.lastMediaAt > LOST_MS;
    const { blackSince, stillSince } = this.picture ?? {};
    return {
      ...(isLost && { loss: this.lastMediaAt }),
      ...(!isLost && blackSince !== undefined && { black: blackSince }),
      ...(!isLost && stillSince !== undefined && { frozen: stillSince }),
      ...(!isLost && this.hasSound && this.silentSince !== undefined && { silent: this.silentSince }),
    };
  }

  /** Empty where no sound comes. */
  get levels(): TrackLevels[] {
    return this.hasSound && this.meter !== undefined ? [this.meter.levels] : [];
  }
}
