/** The listener of a pushed Source is asked again and again, so that the rate moves. */
import { call, dataIn } from '../../api/call.ts';
import type { DataOf } from '../../api/operation-types.ts';
import { useQuery } from '../../api/query.ts';

type Channel = DataOf<'getChannelById'>;

const ASK_MS = 2000;

export function useIngest(channelId: number, isWanted = true): Channel['ingest'] | undefined {
  const { data } = useQuery<Channel>(
    ['ingest', channelId],
    async (signal) => dataIn((await call('getChannelById', { params: { channelId }, signal })).body) as Channel,
    { isWanted, everyMs: ASK_MS },
  );
  return data?.ingest;
}
