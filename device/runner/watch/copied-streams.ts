/** Watches the streams of a copied source that is read by one connection: one that begins, or goes on elsewhere, is no stream of that connection. */
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { Child } from '../process/child.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';
import { StreamWatch, type Misfit, type StreamKind } from './stream-watch.ts';

/** stream_type of MPEG-2, HEVC and AC-3: what is of another codec stays in ffmpeg's parsers of these. */
const SWALLOWING = new Set<number | undefined>([0x02, 0x24, 0x06, 0x81]);
/** A pause of such a stream costs the other one its place for a moment, once. */
const SWALLOWED_MS = 10_000;

/** The function that is returned is to be called when packets have come. */
export function watchCopied(
  child: Child,
  { hasVideo, videos, audios }: LadderPlan,
  stream: Pick<EncodedStream, 'emitted' | 'media'>,
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
  const lastAt: Partial<Record<StreamKind, number>> = {};
  const came = (kind: StreamKind): void => {
    watch.came(kind);
    lastAt[kind] = performance.now();
  };
  const pids = { picture: videos[0]?.pid, sound: audios[0]?.pid };
  const isSwallowed = (kind: StreamKind): boolean => {
    const type = stream.media.packets?.streams.get(pids[kind] ?? -1)?.type;
    return SWALLOWING.has(type) && performance.now() - (lastAt[kind] ?? Infinity) > SWALLOWED_MS;
  };
  let before = stream.emitted;
  return () => {
    const now = stream.emitted;
    if (now.videoEnd !== before.videoEnd) came('picture');
    if (now.audio?.end !== before.audio?.end) {
      isHeard = true;
      came('sound');
    }
    before = now;
    const quiet = (['picture', 'sound'] as const).find(isSwallowed);
    if (quiet === undefined) return;
    delete lastAt[quiet];
    onMisfit({ stream: quiet, change: 'quiet' });
  };
}
