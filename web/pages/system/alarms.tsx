/** The alarms of this installation, each with its remedy. */
import { can } from '../../api/can.ts';
import type { RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Time } from '../../ui/show/time.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { words } from './words.ts';
import { alarmRemedy } from '../../i18n/warning-text.ts';
import { ServerText } from '../../ui/show/server-text.tsx';

type Alarm = RowOf<'getSystemAlarms'>;

/** A disk that fills and a clock that goes wrong change no row. */
const EVERY_MS = 30_000;
const LOOKS = { error: 'fault', warning: 'warn', ok: 'ok' } as const;
const MARKS = { error: '✕', warning: '▲', ok: '✓' };

function columns(): Column<Alarm>[] {
  const w = words.value;
  return [
    {
      id: 'check',
      label: w.alarm,
      cell: ({ check, state }) => (
        <span class={LOOKS[state]}>
          <span aria-hidden="true">{MARKS[state]}</span> {w.checks[check]}
          <span class="hidden">, {w.alarmStates[state]}</span>
        </span>
      ),
    },
    { id: 'detail', label: w.found, cell: ({ detail }) => <ServerText text={detail} /> },
    { id: 'remedy', label: w.remedy, cell: ({ check, remedy }) => remedy && (alarmRemedy(check) ?? remedy) },
    { id: 'since', label: w.since, cell: ({ since: at }) => at !== null && <Time at={at} />, isMinor: true },
  ];
}

export function Alarms() {
  const list = useList('getSystemAlarms', { everyMs: EVERY_MS });
  const w = words.value;
  if (!can('getSystemAlarms')) return null;
  return (
    <section aria-label={w.alarms}>
      <h2>{w.alarms}</h2>
      <ProblemAlert problem={list.error} />
      {list.total === 0 && <p class="ok">✓ {w.noAlarms}</p>}
      {list.rows.length > 0 && (
        <Table
          label={w.alarms}
          rows={list.rows}
          idOf={({ check, detail }) => `${check} ${detail}`}
          columns={columns()}
          onMore={list.hasMore ? list.more : undefined}
        />
      )}
    </section>
  );
}
