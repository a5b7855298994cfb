/** Media of a live Matroska stream: each frame is a block in a Cluster of its own, so that nothing waits for the next one. */
import { opening, unsigned, vint } from './matroska-element.ts';

export interface MatroskaFrame {
  track: number;
  /** Milliseconds at which it is shown, not below 0. */
  time: number;
  isKey: boolean;
  body: Buffer;
}

const [CLUSTER, TIMESTAMP, SIMPLE_BLOCK] = [0x1f43b675, 0xe7, 0xa3];
const KEYFRAME = 0x80;

export function matroskaBlock(frame: MatroskaFrame): Buffer {
  return Buffer.concat([matroskaBlockHead(frame, frame.body.length), frame.body]);
}

/** Returns what goes before a body of so many bytes: a large one is written behind it without a copy. */
export function matroskaBlockHead({ track, time, isKey }: Omit<MatroskaFrame, 'body'>, length: number): Buffer {
  // The time of the block counts from that of its Cluster.
  const head = Buffer.concat([vint(track), Buffer.from([0, 0, isKey ? KEYFRAME : 0])]);
  const block = opening(SIMPLE_BLOCK, head.length + length);
  const timestamp = unsigned(TIMESTAMP, time);
  const cluster = opening(CLUSTER, timestamp.length + block.length + head.length + length);
  return Buffer.concat([cluster, timestamp, block, head]);
}
