/** Requests for a playlist that is not there yet (RFC 8216bis §6.2.5): they are answered once it is. */
import type { LiveState } from './live-state.ts';
import type { LiveEdge } from './live-edge.ts';

/** A player asks for the next segment, or the one behind it when that begins soon. */
const MAX_AHEAD = 2;
/** After so many target durations the broadcast hangs (§6.2.5.2). */
const MAX_TARGETS = 3;

/** A request for a playlist. */
export interface Reload {
  /** The playlist has this segment, or the part of it. */
  sequence: number | undefined;
  part: number | undefined;
  /** The player knows the older segments. */
  skip: boolean;
}

export function asksForReload(query: string): boolean {
  return query.includes('_HLS_');
}

/** Returns the reason why the request is wrong, as text. */
export function parseReload(query: URLSearchParams): Reload | string {
  const [sequence, part] = [query.get('_HLS_msn'), query.get('_HLS_part')];
  const skip = query.get('_HLS_skip');
  if (sequence === null && part !== null) return '_HLS_part needs _HLS_msn beside it.';
  if (sequence !== null && !isNumber(sequence)) return '_HLS_msn must be the number of a segment.';
  if (part !== null && !isNumber(part)) return '_HLS_part must be the number of a part.';
  return {
    sequence: sequence === null ? undefined : Number(sequence),
    part: part === null ? undefined : Number(part),
    skip: skip === 'YES' || skip === 'v2',
  };
}

function isNumber(text: string): boolean {
  return /^[0-9]{1,15}$/u.test(text);
}

/** Resolves with the reason why the playlist will not be there soon, or undefined once it is there. */
export async function reloaded(
  edge: LiveEdge,
  { sequence, part }: Reload,
): Promise<{ status: 400 | 503; text: string } | undefined> {
  if (sequence === undefined || edge.state.ended) return undefined;
  const newest = edge.state.sequence - 1;
  if (sequence > newest + MAX_AHEAD)
    return { status: 400, text: `_HLS_msn is more than ${MAX_AHEAD} segments ahead: the newest is ${newest}.` };
  const maxMs = MAX_TARGETS * edge.state.targetSeconds * 1000;
  if (await edge.until((state) => hasMedia(state, sequence, part), maxMs)) return undefined;
  return { status: 503, text: 'The broadcast does not go on for the time being.' };
}

/** §6.2.5.2: a part behind the last one of a segment is the first part of the next. */
function hasMedia(state: LiveState, sequence: number, part: number | undefined): boolean {
  if (state.ended || state.sequence > sequence + 1) return true;
  if (state.sequence === sequence + 1) return part === undefined || part < state.lastParts || state.parts > 0;
  return part !== undefined && state.sequence === sequence && state.parts > part;
}
