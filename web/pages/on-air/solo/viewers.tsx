/** How many watch what its Devices serve, and why that is not everybody. */
import { call, dataIn } from '../../../api/call.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { useQuery } from '../../../api/query.ts';
import { PACKAGED_TYPES, USES } from '../../../gen/types.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { words } from '../words.ts';

/** Destinations that another service delivers to viewers. */
const ELSEWHERE: readonly string[] = USES.platforms;
/** The feed tells how many they are; how long they have watched is asked for while somebody looks. */
const ASK_MS = 5_000;

export function Viewers({ status }: { status: LivestreamStatus }) {
  const { livestreamId, status: state, viewers, publishings } = status;
  const isOn = state === 2;
  const { data } = useQuery(
    ['viewers', livestreamId],
    async (signal) =>
      dataIn(
        (await call('getLivestreamStatus', { params: { livestreamId }, signal })).body,
      ) as DataOf<'getLivestreamStatus'>,
    { isWanted: isOn, everyMs: ASK_MS },
  );
  if (!isOn) return null;
  const w = words.value.solo;
  const isServed = publishings.some(({ type }) => PACKAGED_TYPES.includes(type));
  const isElsewhere = publishings.some(({ type }) => ELSEWHERE.includes(type));
  const minutes = data?.viewers?.minutes;
  return (
    <div class="solo-viewers" role="group" aria-label={w.viewers}>
      {isServed && (
        <p>
          {viewers === null ? w.noCount : w.viewersAre(viewers.now, viewers.peak)}
          {minutes !== undefined && <span class="soft"> {w.watched(minutes)}</span>}
        </p>
      )}
      <p class="soft">
        {isServed && w.behindCdn} {isElsewhere && w.noViewersHere}
      </p>
    </div>
  );
}
