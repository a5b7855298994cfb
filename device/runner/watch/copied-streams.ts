/** Watches the streams of a copied source that is read by one connection: one that begins, or goes on elsewhere, is no stream of that connection. */
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { Child } from '../process/child.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import { StreamWatch, type Misfit } from './stream-watch.ts';

/** The function that is returned is to be called when packets have come. */
export function watchCopied(
  child: Child,
  { hasVideo, audios }: LadderPlan,
  stream: Pick<EncodedStream, 'emitted'>,
  onMisfit: (misfit: Misfit) => void,
): () => void {
  let isHeard = false;
  // The connection takes whatever sound it finds: what it takes shows in what comes.
  const sound = {
    isWanted: audios.length > 0,
    get isTaken(): boolean {
      return isHeard;
    },
    mayBeAny: false,
  };
  const watch = new StreamWatch(
    { picture: { isWanted: hasVideo, isTaken: hasVideo, mayBeAny: false }, sound },
    onMisfit,
  );
  watch.read(child);
  let before = stream.emitted;
  return () => {
    const now = stream.emitted;
    if (now.videoEnd !== before.videoEnd) watch.came('picture');
    if (now.audio?.end !== before.audio?.end) {
      isHeard = true;
      watch.came('sound');
    }
    before = now;
  };
}
