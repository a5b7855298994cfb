/** The cores that an Encoding or a ladder is expected to take: the server counts them for a Live stream and a place. */
import { can } from '../../api/can.ts';
import { call, dataIn } from '../../api/call.ts';
import type { DataOf, FiltersOf } from '../../api/operation-types.ts';
import { useQuery } from '../../api/query.ts';
import { useList } from '../../api/reads.ts';
import { words } from './words.ts';

type Targets = DataOf<'get_start_targets'>;

export function ExpectedCores({ filter }: { filter: FiltersOf<'getAllLivestreams'> }) {
  const w = words.value;
  const { rows, total } = useList('getAllLivestreams', { params: filter, pageSize: 1 });
  const stream = rows[0];
  const { data } = useQuery<Targets>(
    ['livestreams', 'get_start_targets', stream?.id ?? null],
    async (signal) => {
      const { body } = await call('get_start_targets', { body: { livestream: stream!.name }, signal });
      return dataIn(body) as Targets;
    },
    { isWanted: stream !== undefined && can('get_start_targets') },
  );
  if (total === undefined) return null;
  const places = (data?.targets ?? []).flatMap((target) => (target?.needed_cores == null ? [] : [target]));
  return (
    <section>
      <h3>{w.cores}</h3>
      {places.length === 0 || stream === undefined ? (
        <p class="soft">{w.coresUnknown}</p>
      ) : (
        <>
          <ul class="plain-list" aria-label={w.cores}>
            {places.map(({ kind, name, needed_cores: cores }) => (
              <li key={`${kind} ${name}`}>{w.coresAt((cores ?? 0).toFixed(2), name)}</li>
            ))}
          </ul>
          <p class="soft">{w.coresHint(stream.name)}</p>
        </>
      )}
    </section>
  );
}
