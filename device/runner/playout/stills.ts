/** Makes stills of raw frames in this process, and shares them among those who ask at about the same time. */
import type { Frame } from '../../media/frames/frame-pool.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { Size } from '../../media/frames/placement.ts';
import { StillPainter } from '../../media/frames/still-painter.ts';

/** Sizes that are kept ready: pictures have two, previews what people ask for. */
const MAX_SIZES = 8;

interface Shared<T> {
  task: Promise<T>;
  /** Instant until which other calls get the same. */
  until: number;
}

export class Stills<T> {
  private readonly plan: LadderPlan;
  private readonly painters = new Map<string, Promise<StillPainter>>();
  private readonly recent = new Map<string, Shared<T>>();

  constructor(plan: LadderPlan) {
    this.plan = plan;
  }

  /** Calls with the same key get the result of the first one while it is being made, and until it is `forMs` old. */
  share(key: string, forMs: number, make: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const known = this.recent.get(key);
    if (known !== undefined && startedAt < known.until) return known.task;
    if (this.recent.size >= MAX_SIZES) {
      // A painter that is at work is dropped with its result: nobody else may use it meanwhile.
      this.recent.clear();
      this.painters.clear();
    }
    const shared = { task: make(), until: Infinity };
    this.recent.set(key, shared);
    shared.task.then(
      () => (shared.until = startedAt + forMs),
      () => (shared.until = 0),
    );
    return shared.task;
  }

  /** Two calls with the same key must not overlap. Rejects with AppError unsupported_by_device. */
  async paint(key: string, frame: Frame, size: Size, quality: number): Promise<Buffer> {
    frame.retain();
    try {
      let painter = this.painters.get(key);
      if (painter === undefined) {
        painter = StillPainter.load(this.plan, size, quality);
        this.painters.set(key, painter);
      }
      return await (await painter).jpeg(frame.bytes);
    } finally {
      frame.release();
    }
  }
}
