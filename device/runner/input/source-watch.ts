/** Sees and hears one source as it comes in, on air or not: its levels, and since when something is wrong with it. */
import type { TrackLevels } from '../../../domain/shapes/broadcasts/livestream-status.ts';
import { PictureWatch } from '../../media/frames/picture-watch.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { masteringIn, type MasteringData } from '../../media/light/mastering-data.ts';
import { LevelMeter } from '../../media/sound/level-meter.ts';
import type { SoundForm } from '../../media/ffmpeg-output/sound-begin.ts';
import { samplesOf } from '../../media/frames/samples.ts';
import type { Child } from '../process/child.ts';
import { SourceFormat, type PictureFormat } from './source-format.ts';
import type { Faults } from '../../../domain/shapes/broadcasts/failover.ts';

export interface Arrivals {
  /** When the source began to give something, after the last loss or with the present connection. */
  since: number;
  lastAt: ReadonlyMap<number, number | undefined>;
  forms: ReadonlyMap<number, SoundForm>;
}

/** A source that gives nothing for so long is lost; pictures come in bursts of less. */
const LOST_MS = 600;

export class SourceWatch {
  readonly format: SourceFormat;
  private readonly picture: PictureWatch | undefined;
  /** One a track that is taken, in the order of their descriptors. */
  private readonly meters: LevelMeter[];
  private lastMediaAt = performance.now();
  /** When its media began to come, after the last loss or with the present connection. */
  private connectedAt = -Infinity;
  private silentSince: number | undefined;
  /** Numbers of the tracks in which something has come. */
  private readonly heard = new Set<number>();
  private readonly soundAt = new Map<number, number>();
  private pictureAt: number | undefined;
  /** The form of the sound as it comes, by the number of the track. */
  private readonly forms = new Map<number, SoundForm>();
  connections = 0;
  /** Its pictures say it; it is empty where nobody asks for it. */
  mastering: MasteringData = {};
  private readonly readsMastering: boolean;
  /** dBFS that nothing of silence exceeds. */
  silenceDb: number;

  constructor(
    plan: Pick<LadderPlan, 'hasVideo' | 'width' | 'height' | 'samples' | 'light' | 'audios' | 'tracks'>,
    silenceDb: number,
    onFormat: (from: PictureFormat, to: PictureFormat) => void = () => undefined,
  ) {
    this.format = new SourceFormat(onFormat);
    this.picture = plan.hasVideo ? new PictureWatch(plan) : undefined;
    const tracks = plan.audios.length > 0 ? plan.tracks : [];
    this.meters = tracks.map(({ number, channels }) => new LevelMeter(number ?? 0, channels));
    this.silenceDb = silenceDb;
    this.readsMastering = plan.light === 'pq';
  }

  /** Reads the lines of an ffmpeg beside their reader. */
  read(child: Child): void {
    this.format.read(child);
    if (this.readsMastering) child.alsoRead((line) => Object.assign(this.mastering, masteringIn(line)));
  }

  /** Takes each frame when it has come. */
  frame(bytes: Uint8Array, now = performance.now()): void {
    this.came(now);
    this.pictureAt = now;
    this.picture?.look(bytes, now);
  }

  /** `i` is the number of the track among those of the programme. */
  sound(chunk: Buffer, i: number, now = performance.now()): void {
    const meter = this.meters[i];
    if (meter === undefined) return;
    this.heard.add(i);
    this.soundAt.set(i, now);
    if (this.picture === undefined) this.came(now);
    meter.add(samplesOf(chunk), this.silenceDb);
    // A source is silent when nothing is heard in any language.
    const silentMs = Math.min(...this.meters.map((one, n) => (this.heard.has(n) ? one.silentMs : Infinity)));
    // Sound comes in pieces of up to 0.35 s: what has come of the silence says when it began.
    const began = Math.max(this.connectedAt, Math.min(this.silentSince ?? now, now - silentMs));
    this.silentSince = silentMs > 0 ? began : undefined;
  }

  /** A fault before a loss, and the loss itself, say nothing of a source that is back. */
  private came(now: number): void {
    if (now - this.lastMediaAt > LOST_MS) this.forget(now);
    this.lastMediaAt = now;
  }

  private forget(now: number): void {
    this.connectedAt = now;
    this.picture?.restart();
    this.format.shortage = undefined;
    this.silentSince = undefined;
    this.pictureAt = undefined;
    this.soundAt.clear();
  }

  /** Takes the form of the sound before its first samples. */
  formed(i: number, form: SoundForm): void {
    this.forms.set(i, form);
  }

  /** When each stream of the programme has given something last, by the number of its track; -1 is the picture. */
  get arrivals(): Arrivals {
    const sounds = this.meters.map((_, i) => [i, this.soundAt.get(i)] as const);
    const lastAt = new Map(this.picture === undefined ? sounds : [[-1, this.pictureAt] as const, ...sounds]);
    return { since: this.connectedAt, lastAt, forms: this.forms };
  }

  /** Takes the channels that the source has of each track of the programme; undefined stands for more than two. */
  describe(channels: readonly (1 | 2 | undefined)[]): void {
    for (const [i, meter] of this.meters.entries()) meter.describe(channels[i]);
  }

  /** Another connection to the source begins. */
  restart(): void {
    this.connections += 1;
    this.forget(performance.now());
    this.format.restart();
    this.heard.clear();
  }

  /** Faults of this moment, each since an instant of performance.now(). */
  faults(now: number): Faults {
    const isLost = now - this.lastMediaAt > LOST_MS;
    const { blackSince, stillSince } = this.picture ?? {};
    const { shortage } = this.format;
    return {
      ...(isLost && { loss: this.lastMediaAt }),
      ...(!isLost && blackSince !== undefined && { black: blackSince }),
      ...(!isLost && stillSince !== undefined && { frozen: stillSince }),
      ...(!isLost && shortage !== undefined && { low_fps: shortage.since }),
      ...(!isLost && this.heard.size > 0 && this.silentSince !== undefined && { silent: this.silentSince }),
    };
  }

  /** Empty where no sound comes. */
  get levels(): TrackLevels[] {
    return this.meters.filter((_, i) => this.heard.has(i)).map(({ levels }) => levels);
  }
}
