/** Takes single keyframes out of copied video, which has no raw frames that a picture could be made of. */
import { AppError } from '../../../domain/base/errors.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import type { PacketRun, PacketSink } from '../stream/fan-out.ts';
import { ProgramView } from '../stream/program-view.ts';

/** Where every frame is a keyframe, the next one ends the present one; a frame that is slower than this is no video. */
const NEXT_FRAME_MS = 2000;

/** Resolves with the last keyframe that is whole, as a transport stream of it alone. Rejects with AppError unavailable. */
export async function copiedKeyframe({ videos }: LadderPlan, { media }: EncodedStream): Promise<Buffer> {
  const pid = videos[0]?.pid;
  const { packets } = media;
  if (pid === undefined || packets === undefined) throw noKeyframe();
  const chunks: Buffer[] = [];
  const view = new ProgramView({ videos: [pid], audios: [] }, packets.streams, (bytes) => chunks.push(bytes));
  let isOpen = false;
  let isWhole = false;
  let onWhole: () => void = () => undefined;
  const whole = new Promise<void>((resolve) => (onWhole = resolve));
  const sink: PacketSink = {
    write(run: PacketRun): void {
      if (run.pid !== pid || isWhole) return;
      // The frame after it has begun.
      if (isOpen && run.starts) {
        isWhole = true;
        view.flush();
        return onWhole();
      }
      isOpen ||= run.key;
      if (isOpen) view.write(run);
    },
    flush: () => undefined,
  };
  // A joiner gets what has come since the last keyframe at once, as a rule more than one frame.
  packets.attach(sink);
  const timer = setTimeout(onWhole, NEXT_FRAME_MS);
  await whole;
  clearTimeout(timer);
  packets.detach(sink);
  if (!isWhole) throw noKeyframe();
  return Buffer.concat(chunks);
}

function noKeyframe(): AppError {
  return new AppError('unavailable', 'No keyframe has come yet; try again in a few seconds.');
}

/** Markers of a frame's header, by their second byte (ITU-T T.81 table B.1): baseline and progressive. */
const FRAME_HEADERS = [0xc0, 0xc1, 0xc2];

/** The width of a JPEG, from its frame header; 0 when there is none. */
export function jpegWidth(jpeg: Buffer): number {
  // Segments follow the start of image, each with its length; the frame header comes before the coded data.
  for (let at = 2; at + 9 < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    if (jpeg[at] !== 0xff) return 0;
    if (FRAME_HEADERS.includes(jpeg[at + 1]!)) return jpeg.readUInt16BE(at + 7);
  }
  return 0;
}
