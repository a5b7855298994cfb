/** A blackout takes the programme's place with black or a file. The programme goes on below, and is there at once when it returns. */
import { existsSync } from 'node:fs';
import { AppError } from '../../../domain/base/errors.ts';
import type { BlackoutSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { ended } from '../../../domain/base/sentence.ts';
import { FramePool, type Frame } from '../../media/frames/frame-pool.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import { blackFrame } from '../../media/frames/slate.ts';
import { SourceTrouble } from '../../media/ffmpeg-output/source-reason.ts';
import { SourceFeed, type FeedDeps } from '../input/source-feed.ts';

export interface ProgramFrame {
  /** It is undefined in a run without video. */
  frame: Frame | undefined;
  audio: Buffer;
  /** Logo and text go over the frame. */
  hasOverlays: boolean;
}

/** Most files give their first frame after 150 ms; all in all a change must be on air within 2 s. */
const FILE_MS = 1700;

export class Blackout {
  readonly spec: BlackoutSpec;
  private readonly plan: LadderPlan;
  private black: Frame | undefined;
  private readonly feed: SourceFeed | undefined;
  /** The file's last frame stands while its next is late. */
  private lastFrame: Frame | undefined;
  private onFailed: (reason: SourceTrouble) => void = () => undefined;

  constructor(deps: FeedDeps, spec: BlackoutSpec) {
    this.spec = spec;
    this.plan = deps.plan;
    if (spec.mode !== 'File' || spec.file === null) return;
    const { filename, path } = spec.file;
    const file = { channelId: 0, name: filename, type: 'File' as const, settings: { loop: true }, path };
    const ignore = (): void => undefined;
    this.feed = new SourceFeed(deps, file, null, {
      onFirstMedia: ignore,
      onMedia: ignore,
      onBuffer: ignore,
      onDown: (trouble) => this.onFailed(trouble),
      onFailed: (reason) => this.onFailed(new SourceTrouble(reason)),
    });
  }

  /** Resolves when the first frame of a file is there. Rejects with AppError when there will be none, or not in time. */
  async begin(): Promise<void> {
    const { feed, spec } = this;
    if (spec.mode !== 'File') return;
    const name = `The file "${spec.file?.filename ?? ''}"`;
    if (feed === undefined || !existsSync(spec.file!.path))
      throw new AppError('rule_violated', `${name} is not on this Device.`);
    const failed = new Promise<never>((_, reject) => (this.onFailed = reject));
    feed.start();
    try {
      await Promise.race([feed.firstFrames(FILE_MS), failed]);
    } catch (error) {
      const { message, upstream } = error as SourceTrouble;
      throw new AppError('rule_violated', `${name} cannot be played: ${ended(message)}`, {
        ...(upstream !== undefined && { upstream }),
      });
    } finally {
      this.onFailed = () => undefined;
    }
  }

  /** Other audio, or none, is on air in place of the source's. */
  get isMuted(): boolean {
    return this.spec.mode !== 'Live' && !this.spec.keepAudio;
  }

  /**
   * Returns what viewers get instead of this frame and its audio. They see black before the first frame of a file, and when it has no
   * video.
   */
  applyTo(frame: Frame | undefined, audio: Buffer): ProgramFrame {
    const { mode, keepAudio } = this.spec;
    if (mode === 'Live') return { frame, audio, hasOverlays: true };
    const fileFrame = this.feed?.buffer?.take(audio.length);
    if (fileFrame?.frame !== undefined) {
      this.lastFrame?.release();
      this.lastFrame = fileFrame.frame;
    }
    return {
      frame: this.plan.hasVideo ? (this.lastFrame ?? this.getBlack()) : undefined,
      audio: keepAudio ? audio : padded(fileFrame?.audio, audio.length),
      hasOverlays: this.lastFrame !== undefined,
    };
  }

  private getBlack(): Frame {
    return (this.black ??= FramePool.fixed(blackFrame(this.plan)));
  }

  async stop(): Promise<void> {
    await this.feed?.stop();
    this.lastFrame?.release();
    this.lastFrame = undefined;
  }
}

function padded(audio: Buffer | undefined, bytes: number): Buffer {
  if (audio?.length === bytes) return audio;
  const filled = Buffer.alloc(bytes);
  audio?.copy(filled);
  return filled;
}
