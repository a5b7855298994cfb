/** The licences of this installation, and a file that adds one. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { can } from '../../api/can.ts';
import type { RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Empty } from '../../ui/show/empty.tsx';
import { Outline } from '../../ui/show/outline.tsx';
import { Time } from '../../ui/show/time.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { words } from './words.ts';

type Licence = RowOf<'getSystemLicenses'>;

function columns(): Column<Licence>[] {
  const w = words.value;
  return [
    { id: 'customer', label: w.customer, cell: ({ customer }) => customer },
    {
      id: 'features',
      label: w.features,
      cell: ({ features, denied }) =>
        [
          ...features.map((feature) => w.featureNames[feature]),
          ...denied.map((feature) => w.denied(w.featureNames[feature])),
        ].join(', '),
    },
    { id: 'quantity', label: w.quantity, cell: ({ quantity }) => quantity, align: 'end', isMinor: true },
    {
      id: 'expires',
      label: w.expires,
      cell: ({ expires_at: at }) => (at === null ? w.never : <Time at={at} show="date" />),
    },
    {
      id: 'state',
      label: w.state,
      cell: ({ active }) => (active ? <span class="ok">✓ {w.inForce}</span> : <span class="warn">✕ {w.ended}</span>),
    },
    { id: 'serial', label: w.serial, cell: (row) => <code>{row.licence_id}</code>, isMinor: true },
  ];
}

export function Licences() {
  const list = useList('getSystemLicenses', { sort: '-created_at' });
  const isInstalling = useSignal(false);
  const w = words.value;
  const isThere = list.total !== undefined;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  const installing = can('installLicense') && (
    <Button icon="plus" onPress={() => (isInstalling.value = true)}>
      {w.install}
    </Button>
  );
  return (
    <section aria-label={w.licences}>
      <div class="bar">
        <h2>{w.licences}</h2>
        {list.rows.length > 0 && installing}
      </div>
      <ProblemAlert problem={list.error} />
      {list.isLoading && !isThere && <Outline rows={2} />}
      {list.total === 0 && <Empty text={w.noLicences}>{installing}</Empty>}
      {list.rows.length > 0 && (
        <Table
          label={w.licences}
          rows={list.rows}
          idOf={({ id }) => id}
          columns={columns()}
          onMore={list.hasMore ? list.more : undefined}
        />
      )}
      {isInstalling.value && <InstallDialog onClose={() => (isInstalling.value = false)} />}
    </section>
  );
}
