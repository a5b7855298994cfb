/** Name, Live stream and days: the server looks for them. */
import { call } from '../../../api/call.ts';
import { Combobox, type Option } from '../../../ui/combobox/combobox.tsx';
import { TextField } from '../../../ui/field.tsx';
import { SearchBox } from '../../../ui/search-box.tsx';
import { shownZone } from '../../../shown-zone.ts';
import { fromDay, search, stream, toDay } from './filters.ts';
import { words } from '../words.ts';

interface StreamRow {
  id: number;
  name: string;
}

async function streams(typed: string): Promise<Option<StreamRow | undefined>[]> {
  const { body } = await call('getAllLivestreams', {
    params: { search: typed, sort: 'name', pageSize: 50, fields: 'id,name' },
  });
  const { rows } = body as { rows: StreamRow[] };
  const all = { value: undefined, label: words.value.allStreams };
  return [...(typed === '' ? [all] : []), ...rows.map((row) => ({ value: row, label: row.name }))];
}

export function FilterBar() {
  const w = words.value;
  return (
    <div class="bar recordings-bar">
      <SearchBox value={search.value} onValue={(text) => (search.value = text)} />
      <Combobox
        label={w.stream}
        text={stream.value?.name ?? w.allStreams}
        ask={streams}
        onChoose={({ value }) => (stream.value = value)}
      />
      <TextField
        label={`${w.from} (${shownZone.value})`}
        type="date"
        value={fromDay.value}
        onValue={(day) => (fromDay.value = day)}
      />
      <TextField label={w.to} type="date" value={toDay.value} onValue={(day) => (toDay.value = day)} />
    </div>
  );
}
