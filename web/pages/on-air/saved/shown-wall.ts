/** The tiles of a wall as the server has them now. */
import { display } from '../../../display.ts';
import { call, dataIn } from '../../../api/call.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { useQuery, type Answer } from '../../../api/query.ts';

export type ShownWall = DataOf<'getFeedWall'>;

export function useWall(wallId: number): Answer<ShownWall> {
  return useQuery(['walls', wallId], async (signal) => {
    const { body } = await call('getFeedWall', { params: { wallId }, signal, token: display?.token });
    return dataIn(body) as ShownWall;
  });
}
