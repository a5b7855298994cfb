/** The two ways in: raw frames for the frame clock, or the source's own packets for the fan-out. */
import type { SourceSpec } from '../../domain/run.ts';
import type { FramePool } from '../media/frame-pool.ts';
import { copyIngestArgs, rawIngestArgs } from '../media/ingest-args.ts';
import type { LadderPlan } from '../media/ladder-plan.ts';
import { SourceBuffer } from '../media/source-buffer.ts';
import type { FanOut } from './fan-out.ts';
import type { IngestKind } from './ingest.ts';

/** `onBuffer` gets the buffer of each new connection before its first frame. */
export function rawKind(
  source: SourceSpec,
  plan: LadderPlan,
  pool: FramePool,
  onBuffer: (buffer: SourceBuffer) => void,
): IngestKind {
  return {
    fds: 5,
    firstShape: !plan.hasVideo ? 'audio' : plan.audios.length === 0 ? 'video' : 'both',
    args: (input, shape) => rawIngestArgs(source, input, plan, shape),
    connect(child, shape, onMedia) {
      const buffer = new SourceBuffer(plan, pool, shape, onMedia);
      onBuffer(buffer);
      child.output(3)?.on('data', (chunk: Buffer) => buffer.pushVideo(chunk));
      child.output(4)?.on('data', (chunk: Buffer) => buffer.pushSound(chunk));
      child.output(1)?.resume();
    },
  };
}

export function copyKind(source: SourceSpec, plan: LadderPlan, fanOut: FanOut): IngestKind {
  return {
    fds: 3,
    // Missing sound is left out by ffmpeg itself (`?` in its -map).
    firstShape: 'video',
    args: (input) => copyIngestArgs(source, input, plan, fanOut.nextSeconds),
    connect(child, _shape, onMedia) {
      fanOut.newWriter();
      child.output(1)?.on('data', (chunk: Buffer) => {
        fanOut.push(chunk);
        if (fanOut.started) onMedia();
      });
    },
  };
}
