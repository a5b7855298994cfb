/** Sends FLV by RTMP at its pace, one part after the other. */
import type { RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import type { RtmpEncoder } from '../../helpers/rtmp-encoder.ts';

/** Sends the first part again and again, at its pace, until `next` is called, and then the one behind it. */
export function sendMessages(
  t: TestScope,
  { publishing }: RtmpEncoder,
  sent: readonly RtmpMessage[][],
): { next(): void } {
  const begun = performance.now();
  let [part, round, at] = [0, 0, 0];
  let messages = sent[0]!;
  const timer = setInterval(() => {
    const ms = performance.now() - begun - round * partSeconds * 1000;
    for (; at < messages.length && messages[at]!.time <= ms; at += 1)
      publishing.media({ ...messages[at]!, time: messages[at]!.time + round * partSeconds * 1000 });
    if (ms < partSeconds * 1000) return;
    [round, at, messages] = [round + 1, 0, sent[part]!];
  }, 10);
  cleanUp(t, () => clearInterval(timer));
  return { next: () => void (part += 1) };
}
