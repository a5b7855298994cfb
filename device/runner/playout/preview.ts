/** Makes a JPEG of what viewers see now, in an ffmpeg of its own, so that the frame clock has nothing to do with it. */
import { AppError, invalidInput } from '../../../domain/base/errors.ts';
import type { Frame } from '../../media/frames/frame-pool.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { lastStillArgs, stillArgs } from '../../media/arguments/still-args.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import type { PacketRun } from '../stream/fan-out.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import { StillError, runOneShot } from '../process/one-shot.ts';
import { ProgramView } from '../stream/program-view.ts';

export const PREVIEW_WIDTHS = { min: 64, max: 1920 };
/** A raw frame takes 70-100 ms; a long distance of keyframes in copy mode takes a second, on a busy machine many. */
const LIMIT_MS = 15_000;
/** A still of this quality has less than 2 bits a pixel; a few of them come in copy mode. */
const MAX_BYTES = 8 << 20;
const START_OF_IMAGE = Buffer.from([0xff, 0xd8, 0xff]);

export class Preview {
  private readonly children: ChildProcesses;
  private readonly plan: LadderPlan;
  private readonly stream: EncodedStream;
  private readonly rendering = new Map<number, Promise<Buffer>>();
  private turn: Promise<unknown> = Promise.resolve();

  constructor(parts: { children: ChildProcesses; plan: LadderPlan; stream: EncodedStream }) {
    this.children = parts.children;
    this.plan = parts.plan;
    this.stream = parts.stream;
  }

  /**
   * `last` returns the frame that was given to the encoder last. Calls for the same width share a rendering, others wait for it: one ffmpeg
   * at a time. Rejects with AppError invalid_input, rule_violated, unavailable, timeout.
   */
  jpeg(width: number, last: () => Frame | undefined): Promise<Buffer> {
    const { min, max } = PREVIEW_WIDTHS;
    if (!Number.isInteger(width) || width < min || width > max) {
      const message = `must be a whole number from ${min} to ${max}`;
      return Promise.reject(invalidInput([{ field: 'width', code: 'out_of_range', message, min, max }]));
    }
    if (!this.plan.hasVideo)
      return Promise.reject(new AppError('rule_violated', 'This run has sound only; there is no picture to see.'));
    const shared = this.rendering.get(width);
    if (shared !== undefined) return shared;
    const task = this.turn.then(() => (this.plan.copy ? this.fromStream(width) : this.fromFrame(width, last())));
    const settled = (): void => void this.rendering.delete(width);
    this.rendering.set(width, task);
    this.turn = task.then(settled, settled);
    return task;
  }

  /** Renders a transport stream of one keyframe. */
  fromKeyframe(width: number, keyframe: Buffer): Promise<Buffer> {
    return this.render(lastStillArgs(1, width), keyframe);
  }

  private async fromFrame(width: number, frame: Frame | undefined): Promise<Buffer> {
    if (frame === undefined) throw new AppError('unavailable', 'No picture has gone out yet; try again in a second.');
    const { plan } = this;
    const still = Math.min(width, plan.width);
    const size = { width: still, height: Math.max(1, Math.round((still * plan.height) / plan.width)) };
    frame.retain();
    try {
      return await this.render(stillArgs(plan, size), frame.bytes);
    } finally {
      frame.release();
    }
  }

  private fromStream(width: number): Promise<Buffer> {
    const pid = this.plan.videos[0]!.pid;
    const chunks: Buffer[] = [];
    let frames = 0;
    const { packets } = this.stream.media;
    const view = new ProgramView({ videos: [pid], audios: [] }, packets?.streams ?? new Map(), (bytes) =>
      chunks.push(bytes),
    );
    const sink = {
      write(run: PacketRun): void {
        if (run.pid === pid && run.starts) frames += 1;
        view.write(run);
      },
      flush: () => view.flush(),
    };
    // Attached for this moment only, the sink gets the packets since the last keyframe.
    packets?.attach(sink);
    packets?.detach(sink);
    if (frames === 0)
      return Promise.reject(new AppError('unavailable', 'No keyframe has come yet; try again in a few seconds.'));
    return this.render(lastStillArgs(frames, width), Buffer.concat(chunks));
  }

  private async render(args: string[], input: Uint8Array): Promise<Buffer> {
    try {
      const stills = await runOneShot(this.children, {
        name: 'preview',
        args,
        input,
        limitMs: LIMIT_MS,
        maxBytes: MAX_BYTES,
      });
      // JPEG keeps FF D8 FF out of its own data.
      const start = stills.lastIndexOf(START_OF_IMAGE);
      if (start < 0) throw new StillError('no picture came out');
      return stills.subarray(start);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const { message, upstream } = error as StillError;
      const detail = `The preview could not be made: ${message}. Try again.`;
      throw new AppError('unavailable', detail, { cause: error, ...(upstream !== undefined && { upstream }) });
    }
  }
}
