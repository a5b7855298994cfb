/** All about one Live stream, beside the list. */
import { useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import { useOne } from '../../../api/reads.ts';
import { formWords } from '../../../i18n/form-words.ts';
import { Button } from '../../../ui/button.tsx';
import { Drawer } from '../../../ui/drawer.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { StartOrStop, type RowActs } from '../list/columns.tsx';
import type { Parts, StreamRow } from '../list/parts.ts';
import { words } from '../words.ts';
import { Bindings } from './bindings.tsx';
import { EventLog } from './event-log.tsx';
import { Overview } from './overview.tsx';
import { Planned } from './planned.tsx';
import { LastStart, Recordings, Schedules } from './related.tsx';

interface StreamDrawerProps {
  row: StreamRow;
  parts: Parts;
  acts: RowActs;
  onEdit: () => void;
  onDelete: () => void;
  onClose: () => void;
}

const TABS = ['overview', 'bindings', 'events', 'recordings', 'schedules', 'planned', 'last'] as const;
type Tab = (typeof TABS)[number];

export function StreamDrawer({ row, parts, acts, onEdit, onDelete, onClose }: StreamDrawerProps) {
  const tab = useSignal<Tab>('overview');
  const { data, error } = useOne('getLivestreamById', { livestreamId: row.id });
  const w = words.value;
  const f = formWords.value;
  const { name } = row;
  return (
    <Drawer title={name} onClose={onClose} takesFocus>
      <div class="acts drawer-acts">
        <StartOrStop row={row} acts={acts} />
        {can('updateLivestream') && (
          <Button icon="pencil" label={f.editOf(name)} onPress={onEdit}>
            {f.edit}
          </Button>
        )}
        {can('deleteLivestream') && (
          <Button kind="quiet" icon="trash-2" label={f.deleteOf(name)} onPress={onDelete}>
            {f.delete}
          </Button>
        )}
      </div>
      <ProblemAlert problem={error} />
      <Tabs
        label={w.tabsOf(name)}
        tabs={TABS.map((each) => ({ name: each, label: w.tabs[each] }))}
        chosen={tab.value}
        onChoose={(next) => (tab.value = next)}
      >
        {data === undefined && error === null && <Outline rows={4} />}
        {data !== undefined && tab.value === 'overview' && <Overview row={row} stream={data} parts={parts} />}
        {tab.value === 'bindings' && <Bindings row={row} parts={parts} />}
        {tab.value === 'events' && <EventLog id={row.id} />}
        {tab.value === 'recordings' && <Recordings id={row.id} />}
        {tab.value === 'schedules' && <Schedules id={row.id} />}
        {tab.value === 'planned' && <Planned id={row.id} stream={row.name} />}
        {data !== undefined && tab.value === 'last' && <LastStart stream={data} parts={parts} />}
      </Tabs>
    </Drawer>
  );
}
