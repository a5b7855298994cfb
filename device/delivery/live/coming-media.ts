/**
 * Media that is asked for before it is there: the part that a playlist announces (EXT-X-PRELOAD-HINT), and segments that are served while
 * they are being made (DASH with availabilityTimeOffset).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveEdge } from './live-edge.ts';
import type { LiveState } from './live-state.ts';

/** `there`: the file is there now. */
export type ComingMedia = 'there' | { stream: AsyncIterable<Buffer> } | undefined;

/** A request may come some time before its media: clocks differ, and the last frame is still on its way. Others are ahead of the broadcast. */
const EARLY_MS = 1500;
/** After so many target durations the broadcast hangs. */
const MAX_TARGETS = 3;

/** Folder, number of the segment, number of the part, the rest. */
const NAME = /^([a-z0-9-]+)\/([0-9]{1,15})(?:\.([0-9]{1,6}))?(-[^.]+)\.(?:m4s|vtt)$/u;

/** Resolves with undefined for media that is gone, or will not be there soon. */
export async function comingMedia(edge: LiveEdge | undefined, dir: string, file: string): Promise<ComingMedia> {
  const [, folder, sequenceText, partText, suffix] = NAME.exec(file) ?? [];
  if (edge === undefined || folder === undefined || suffix !== edge.state.suffix) return undefined;
  const sequence = Number(sequenceText);
  const { state } = edge;
  if (state.ended || sequence < state.sequence || sequence > state.sequence + 1) return undefined;
  const isNext = sequence > state.sequence;
  if (partText !== undefined) {
    const part = Number(partText);
    if (part !== (isNext ? 0 : state.parts)) return undefined;
    const isThere = await edge.until((now) => hasPart(now, sequence, part), longest(isNext, state));
    return isThere ? 'there' : undefined;
  }
  const isText = folder.startsWith('text-');
  const begins = (now: LiveState): boolean =>
    now.sequence > sequence || (!isText && now.sequence === sequence && now.parts > 0);
  if (!(await edge.until(begins, longest(isNext || !isText, state)))) return undefined;
  if (edge.state.sequence > sequence) return 'there';
  return { stream: growingSegment(edge, join(dir, folder), sequence, suffix) };
}

function longest(isShort: boolean, { targetSeconds }: LiveState): number {
  return isShort ? EARLY_MS : MAX_TARGETS * targetSeconds * 1000;
}

function hasPart(state: LiveState, sequence: number, part: number): boolean {
  return state.sequence > sequence || state.ended || (state.sequence === sequence && state.parts > part);
}

/** Yields the parts of a segment as they come. Rejects when the next one does not come: the segment is not whole then. */
async function* growingSegment(
  edge: LiveEdge,
  folder: string,
  sequence: number,
  suffix: string,
): AsyncGenerator<Buffer, void> {
  let count: number | undefined;
  for (let part = 0; ; part += 1) {
    const isThere = await edge.until((state) => hasPart(state, sequence, part), longest(false, edge.state));
    const { state } = edge;
    if (state.sequence === sequence + 1) count = state.lastParts;
    if (part === count) return;
    // Whoever takes longer for a part than a segment lasts does not get to know where it ends.
    if (!isThere || (count === undefined && state.sequence > sequence))
      throw new Error(`Segment ${sequence} does not go on.`);
    yield await edge.once(`${folder} ${part}`, () => readFile(join(folder, `${sequence}.${part}${suffix}.m4s`)));
  }
}
