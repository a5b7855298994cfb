/** The answer of a start once a broadcast is on air: it names the Destinations that have it. */
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { ToolContext } from '../tool.ts';
import { count, joinSentences, say, sentence, type Sentence } from '../sentence.ts';

/** A usual segment has 6 s and takes time to arrive, so the page with the first picture comes later than a platform's handshake. */
const LAST_TO_COME_MS = 8000;
const LOOK_MS = 200;
const MAX_NAMES = 3;

type Stream = Pick<Livestream, 'id' | 'name'>;
type Destination = LivestreamStatusView['publishings'][number];
type Watching = Pick<ToolContext, 'control' | 'clock' | 'signal' | 'store'>;

/**
 * Waits a moment for the other Destinations, so that nobody has to ask again: one Destination is enough to be on air. Answers the run as it
 * is then.
 */
export async function waitForOthers(
  ctx: Watching,
  stream: Stream,
  run: Readonly<Run> | undefined,
  leftMs: number,
): Promise<Readonly<Run> | undefined> {
  const endMs = ctx.clock.now() + Math.min(leftMs, LAST_TO_COME_MS);
  const isComing = ({ primary, backup }: Destination): boolean =>
    primary.state === 'connecting' || backup?.state === 'connecting';
  let now = run;
  while (now?.status === 2 && ctx.clock.now() < endMs && !ctx.signal.aborted) {
    if (!ctx.control.status(stream, now).publishings.some(isComing)) break;
    await ctx.control.waitFor(stream.id, [0, 1, 3], LOOK_MS, ctx.signal);
    now = (await ctx.store.get('runs', stream.id))?.row;
  }
  return now;
}

export function sayOnAir({ name, publishings }: LivestreamStatusView): Sentence {
  const enabled = publishings.filter(({ primary, backup }) => primary.enabled || backup?.enabled);
  const isUp = ({ primary, backup }: Destination): boolean => primary.state === 'up' || backup?.state === 'up';
  const late = enabled.filter((each) => !isUp(each)).map((each) => say(each.name));
  const up = enabled.length - late.length;
  if (up === 0) return sentence`${say(name)} is on air.`;
  if (late.length === 0) return sentence`${say(name)} is on air on ${count(up, 'destination')}.`;
  const which = late.length > MAX_NAMES ? `${late.length} others` : joinSentences(late, ' and ');
  return sentence`${say(name)} is on air on ${up} of ${enabled.length} destinations; ${which} ${late.length === 1 ? 'does' : 'do'} not deliver yet.`;
}
