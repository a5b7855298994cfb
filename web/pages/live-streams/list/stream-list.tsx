/** The table of Live streams with its filter, and the acts on those that are chosen. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { can } from '../../../api/can.ts';
import { useAll } from '../../../api/all.ts';
import { words as shared } from '../../../i18n/words.ts';
import { isWizardAsked } from '../../../wizard/asked.ts';
import { FirstBroadcastPlace } from '../../../wizard/place.tsx';
import { Button } from '../../../ui/button.tsx';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { SearchBox } from '../../../ui/search-box.tsx';
import { useGlobalKeys } from '../../../ui/registry/keys.ts';
import { Empty } from '../../../ui/show/empty.tsx';
import { Outline } from '../../../ui/show/outline.tsx';
import { Table } from '../../../ui/table.tsx';
import { words } from '../words.ts';
import { ChosenBar } from './chosen-bar.tsx';
import { columnsOf, type RowActs } from './columns.tsx';
import { SHOWS, shownRows, tagsOf, withChosen, type Show } from './filter.ts';
import { allStatuses, isStartable, peekStatus } from './live-status.ts';
import type { ManyAct } from './many-dialog.tsx';
import { useNextStarts } from './next-starts.ts';
import type { Parts, StreamRow } from './parts.ts';
import { TagFilter } from './tag-filter.tsx';

interface StreamListProps {
  parts: Parts;
  acts: RowActs;
  /** The stream whose drawer is open. */
  opened: number | undefined;
  onAdd: () => void;
  onMany: (act: ManyAct, rows: readonly StreamRow[]) => void;
}

const FIELDS =
  'id,name,tags,enabled,status,errorstatus,started_at,channelId,encodingId,encodingGroupId,publishingId,publishingGroupId,idEncoderGroup,deviceId';

export function useStreams() {
  return useAll('getAllLivestreams', { fields: FIELDS }, 'name');
}

export function StreamList({ parts, acts, opened, onAdd, onMany }: StreamListProps) {
  const list = useStreams();
  const nextStarts = useNextStarts();
  const search = useSignal('');
  const show = useSignal<Show>('all');
  const tag = useSignal('');
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const w = words.value;
  const isThere = list.total !== undefined;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  const isEmpty = list.total === 0;
  void allStatuses.value;
  const rows = shownRows(list.rows, { search: search.value, show: show.value, tag: tag.value }, peekStatus);
  const lastChosen = useRef<number | undefined>(undefined);
  const choose = (id: number, isRange: boolean): void => {
    const from = isRange ? lastChosen.current : undefined;
    chosen.value = withChosen(chosen.peek(), id, { ids: rows.map((row) => row.id), from });
    lastChosen.current = id;
  };
  return (
    <div>
      <div class="bar">
        {can('addLivestream') && <AddButton isEmpty={isEmpty} onAdd={onAdd} />}
        <SearchBox value={search.value} onValue={(text) => (search.value = text)} />
        <RadioGroup
          label={w.show}
          value={show.value}
          onValue={(value) => (show.value = value)}
          options={SHOWS.map((value) => ({ value, label: w.shows[value] }))}
        />
        <TagFilter tags={tagsOf(list.rows)} value={tag.value} onValue={(next) => (tag.value = next)} />
        <span class="grow" />
        <span role="status" aria-label={shared.value.ui.count} class="soft">
          {isThere && shared.value.ui.countOf(rows.length, list.total ?? 0)}
        </span>
      </div>
      <ChosenBar
        rows={list.rows.filter(({ id }) => chosen.value.has(id))}
        onAct={onMany}
        onNone={() => (chosen.value = new Set())}
      />
      <ProblemAlert problem={list.error} />
      {list.isLoading && !isThere && <Outline rows={8} />}
      <FirstBroadcastPlace />
      {isEmpty && !can('setUpBroadcast') && <Empty text={w.empty} />}
      {isThere && !isEmpty && rows.length === 0 && <Empty text={w.noMatch} />}
      {rows.length > 0 && (
        <Table
          label={w.title}
          name="live-streams"
          columns={columnsOf({ parts, nextStarts, chosen: chosen.value, onChoose: choose, acts })}
          rows={rows}
          idOf={({ id }) => id}
          chosen={opened}
          onOpen={acts.open}
          rowKeys={rowKeys(acts, choose)}
        />
      )}
    </div>
  );
}

/** "New Live stream" begins with the wizard, for whoever may use it. */
function AddButton({ isEmpty, onAdd }: { isEmpty: boolean; onAdd: () => void }) {
  const w = words.value;
  const hasWizard = can('setUpBroadcast');
  const add = (): void => {
    if (!hasWizard) onAdd();
    // It is there already, as the next step.
    else if (isEmpty) document.querySelector<HTMLElement>('.wizard input')?.focus();
    else isWizardAsked.value = !isWizardAsked.peek();
  };
  useGlobalKeys(w.title, { N: { does: w.add, act: add } });
  return (
    <Button
      kind="main"
      icon="plus"
      keyHint="N"
      expanded={hasWizard ? isEmpty || isWizardAsked.value : undefined}
      onPress={add}
    >
      {w.add}
    </Button>
  );
}

function rowKeys(acts: RowActs, choose: (id: number, isRange: boolean) => void) {
  const w = words.value;
  return {
    ...(can('start_livestream') && {
      R: { does: w.start, act: (row: StreamRow) => isStartable(peekStatus(row)) && acts.start(row) },
    }),
    ...(can('stop_livestream') && {
      // A failed one is started or stopped.
      X: { does: w.stop, act: (row: StreamRow) => peekStatus(row) > 0 && acts.stop(row) },
    }),
    ...(can('start_livestream') && {
      Space: { does: w.columns.choose, act: ({ id }: StreamRow) => choose(id, false) },
      'Shift Space': { does: w.chooseRange, act: ({ id }: StreamRow) => choose(id, true) },
    }),
  };
}
