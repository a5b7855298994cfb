/** The servers that share the store with this one; nothing where there are none. */
import type { DataOf } from '../../api/operation-types.ts';
import { call, dataIn } from '../../api/call.ts';
import { can } from '../../api/can.ts';
import { useQuery } from '../../api/query.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Time } from '../../ui/show/time.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { words } from './words.ts';

type Member = DataOf<'getMembers'>['members'][number];

/** A server that is gone says nothing, so that they are asked for while the page is open. */
const EVERY_MS = 5_000;

const TONES = { up: 'ok', silent: 'warn', gone: 'warn' } as const;

function columns(): Column<Member>[] {
  const w = words.value;
  return [
    { id: 'name', label: w.server, cell: ({ name, self }) => (self ? `${name} (${w.thisOne})` : name) },
    { id: 'version', label: w.version, cell: ({ version }) => version ?? w.notKnown },
    {
      id: 'state',
      label: w.state,
      cell: ({ state }) => <span class={TONES[state]}>{w.memberStates[state]}</span>,
    },
    { id: 'seen', label: w.seen, cell: ({ seen_at: at }) => <Time at={at} show="time" /> },
    { id: 'lag', label: w.behind, cell: ({ lag_commits: lag }) => lag, align: 'end' },
    { id: 'devices', label: w.itsDevices, cell: ({ devices }) => devices.length, align: 'end' },
    { id: 'duties', label: w.duties, cell: ({ duties }) => duties.join(', '), isMinor: true },
  ];
}

export function Servers() {
  const { data, error } = useQuery(
    ['members'],
    async (signal) => dataIn((await call('getMembers', { signal })).body) as DataOf<'getMembers'>,
    { isWanted: can('getMembers'), everyMs: EVERY_MS },
  );
  const w = words.value;
  if (data?.shared !== true) return <ProblemAlert problem={error} />;
  return (
    <section aria-label={w.servers}>
      <h2>{w.servers}</h2>
      <Table label={w.servers} rows={data.members} idOf={({ id }) => id} columns={columns()} />
    </section>
  );
}
