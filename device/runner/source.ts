/** The run's source and its stand-in: ingests, frame clock and what is said about them. */
import type { RunReport, RunSpec, SourceSpec } from '../../domain/run.ts';
import type { Clock } from '../../domain/clock.ts';
import { FramePool } from '../media/frame-pool.ts';
import { fileInput, ingestInput } from '../media/ingest-args.ts';
import type { LadderPlan } from '../media/ladder-plan.ts';
import { frameBytes } from '../media/slate.ts';
import type { SourceBuffer } from '../media/source-buffer.ts';
import type { EncoderSupervisor } from './encoder.ts';
import type { EventLog } from './event-log.ts';
import type { FanOut } from './fan-out.ts';
import { Ingest } from './ingest.ts';
import { copyKind, rawKind } from './ingest-kinds.ts';
import type { Meter } from './meter.ts';
import type { Nursery } from './nursery.ts';
import { Programme } from './programme.ts';

export interface SourceContext {
  spec: RunSpec;
  plan: LadderPlan;
  runDir: string;
  nursery: Nursery;
  fanOut: FanOut;
  /** undefined in copy mode. */
  encoder: EncoderSupervisor | undefined;
  events: EventLog;
  clock: Clock;
  meter: Meter;
  onChange(): void;
}

/** A restarted runner shows the fallback after so long without a source: viewers have seen nothing since the old one ended. */
const RESUME_MS = 1000;
/** In copy mode the time without packets until the source counts as lost: more than the distance of two bursts of HLS segments. */
const COPY_SILENT_MS = 3000;

export class Source {
  private readonly context: SourceContext;
  private readonly pool: FramePool;
  private readonly programme: Programme;
  private readonly ingest: Ingest;
  private fallback: Ingest | undefined;
  private timer: NodeJS.Timeout | undefined;
  private lostAt = 0;
  state: RunReport['source']['state'] = 'idle';
  /** Real media has come in this process. */
  seen = false;
  framesIn = 0;
  private skipped = 0;
  private droppedBefore = 0;

  constructor(context: SourceContext) {
    this.context = context;
    const { plan, spec, nursery, runDir, fanOut } = context;
    this.pool = new FramePool(frameBytes(plan.width, plan.height));
    this.programme = new Programme(plan, spec.fallback.mode, {
      onFrame: (frame, sound) => context.encoder?.write(frame, sound),
      onLost: () => this.lost(),
      onRestored: () => this.restored(),
      onSkip: (beats) => (this.skipped += beats),
    });
    const kind = plan.copy
      ? copyKind(spec.source, plan, fanOut)
      : rawKind(spec.source, plan, this.pool, (buffer) => this.replaceBuffer(buffer));
    const watched = { ...kind, connect: this.counting(kind.connect) };
    const finite = spec.source.type === 'File' && spec.source.settings.loop === false;
    this.ingest = new Ingest(nursery, runDir, 'ingest', () => ingestInput(spec.source), watched, finite, {
      onFlow: () => this.flows(),
      onDown: () => plan.copy && this.lost(),
    });
  }

  get pid(): number | undefined {
    return this.ingest.pid;
  }

  get lastWords(): string | undefined {
    return this.ingest.lastWords;
  }

  get dropped(): number {
    return this.droppedBefore + (this.programme.source?.dropped ?? 0) + this.skipped;
  }

  /** `resumed`: viewers are waiting already, so they get the fallback when the source does not come at once. */
  start(resumed: boolean): void {
    this.enter('connecting');
    this.ingest.start();
    if (this.context.plan.copy) this.timer = setInterval(() => this.watchCopy(), 500);
    else if (resumed) this.timer = setTimeout(() => this.programme.start(), RESUME_MS);
  }

  async stop(): Promise<void> {
    this.programme.stop();
    clearTimeout(this.timer);
    this.state = 'idle';
    await Promise.all([this.ingest.stop(), this.fallback?.stop()]);
  }

  private replaceBuffer(buffer: SourceBuffer): void {
    this.droppedBefore += this.programme.source?.dropped ?? 0;
    this.programme.source?.clear();
    this.programme.source = buffer;
  }

  private counting(connect: (...args: never[]) => void): never {
    return ((child: unknown, shape: unknown, onMedia: () => void) => {
      const counted = (): void => {
        this.framesIn += 1;
        this.context.meter.frameArrived(this.context.clock.now());
        onMedia();
        this.onMedia();
      };
      (connect as (...args: unknown[]) => void)(child, shape, counted);
    }) as never;
  }

  private flows(): void {
    this.seen = true;
    if (this.state === 'connecting') this.enter('up');
    else if (this.context.plan.copy) this.restored();
  }

  /** The clock begins with the first frames that are due, so that the first picture is the source's. */
  private onMedia(): void {
    if (!this.context.plan.copy && !this.programme.onAir && this.programme.source?.ready === true)
      this.programme.start();
  }

  private watchCopy(): void {
    const silentMs = performance.now() - this.context.fanOut.lastDataAt;
    if (this.state === 'up' && silentMs > COPY_SILENT_MS) this.lost();
    else if (this.state === 'lost' && silentMs < 500) this.restored();
  }

  private lost(): void {
    if (this.state === 'lost' || (!this.seen && this.context.plan.copy)) return;
    const { spec, events } = this.context;
    this.lostAt = performance.now();
    this.enter('lost');
    const shown = this.context.plan.copy
      ? 'nothing: copied video has no fallback'
      : { slate: 'the slate', file: 'the fallback file', none: 'the last picture' }[spec.fallback.mode];
    const why = this.ingest.lastWords;
    const data = { channelId: spec.source.channelId, fallback: spec.fallback.mode, reason: why ?? null };
    events.add(
      'source_lost',
      'warning',
      `Channel "${spec.source.name}" gives no more pictures; viewers see ${shown}.`,
      data,
    );
    if (spec.fallback.mode === 'file' && spec.fallback.path !== null && !this.context.plan.copy)
      this.startFallback(spec.source, spec.fallback.path);
  }

  private restored(): void {
    if (this.state === 'up') return;
    const wasLost = this.state === 'lost';
    this.enter('up');
    void this.fallback?.stop();
    this.fallback = undefined;
    this.programme.fallback = undefined;
    if (!wasLost) return;
    const seconds = (performance.now() - this.lostAt) / 1000;
    const { name, channelId } = this.context.spec.source;
    this.context.events.add('source_restored', 'info', `Channel "${name}" is back after ${seconds.toFixed(1)} s.`, {
      channelId,
      seconds: Number(seconds.toFixed(3)),
    });
  }

  private startFallback(source: SourceSpec, path: string): void {
    const { plan, nursery, runDir } = this.context;
    const file: SourceSpec = { ...source, type: 'File', settings: { loop: true }, path };
    const kind = rawKind(file, plan, this.pool, (buffer) => (this.programme.fallback = buffer));
    this.fallback = new Ingest(nursery, runDir, 'fallback', () => fileInput(path, true), kind, false, {
      onFlow: () => undefined,
      onDown: () => undefined,
    });
    this.fallback.start();
  }

  private enter(state: RunReport['source']['state']): void {
    this.state = state;
    this.context.onChange();
  }
}
