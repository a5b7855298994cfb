/** The fields by which the audit is filtered. */
import { call } from '../../api/call.ts';
import { OPERATIONS } from '../../../client/request.ts';
import { instantOf } from '../../local-time.ts';
import { shownZone } from '../../shown-zone.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox, type Option } from '../../ui/combobox/combobox.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { NO_FILTER, type Filter } from './filter.ts';
import { words } from './words.ts';

/** Calls that are in the audit and are no operations of the catalogue. */
const SIGN_IN_CALLS = [
  'login',
  'logout',
  'renewSession',
  'changePassword',
  'connectAssistant',
  'exchangeCode',
  'refreshToken',
  'disconnectAssistant',
];
const MAX_OPTIONS = 30;
const VIAS = ['rest', 'mcp', 'cli', 'ui', 'schedule', 'oauth'] as const;

function operationsLike(typed: string): Option<string>[] {
  const changes = Object.entries(OPERATIONS).flatMap(([name, { effect }]) =>
    effect === null || effect === 'read' ? [] : [name],
  );
  const names = [...changes, ...SIGN_IN_CALLS].sort((one, other) => one.localeCompare(other));
  const found = names.filter((name) => name.toLowerCase().includes(typed.toLowerCase())).slice(0, MAX_OPTIONS);
  const all = typed === '' ? [{ value: '', label: words.value.all }] : [];
  return [...all, ...found.map((name) => ({ value: name, label: name }))];
}

async function usersLike(typed: string): Promise<Option<string>[]> {
  const search = typed === '' ? {} : { search: typed };
  const { body } = await call('getAllUsers', { params: { ...search, pageSize: MAX_OPTIONS } });
  const found = (body as { rows: { username: string }[] }).rows.map(({ username }) => username);
  // The audit names Users that have been deleted since.
  const names = typed === '' || found.includes(typed) ? found : [...found, typed];
  const all = typed === '' ? [{ value: '', label: words.value.all }] : [];
  return [...all, ...names.map((name) => ({ value: name, label: name }))];
}

interface FilterBarProps {
  filter: Filter;
  onFilter: (filter: Filter) => void;
}

export function FilterBar({ filter, onFilter }: FilterBarProps) {
  const w = words.value;
  const zone = shownZone.value;
  const set = (part: Partial<Filter>): void => onFilter({ ...filter, ...part });
  const isEmpty = Object.values(filter).every((value) => value === '');
  const wrong = (local: string): string | undefined =>
    local !== '' && instantOf(local, zone) === undefined ? w.noTime : undefined;
  return (
    <div class="audit-filter" role="search" aria-label={w.title}>
      <Combobox
        label={w.user}
        text={filter.user}
        placeholder={w.all}
        ask={usersLike}
        onChoose={({ value }) => set({ user: value })}
      />
      <Combobox
        label={w.operation}
        text={filter.operation}
        placeholder={w.all}
        ask={operationsLike}
        onChoose={({ value }) => set({ operation: value })}
      />
      <TextField label={w.requestId} value={filter.request_id} onValue={(request_id) => set({ request_id })} />
      <Field label={w.via}>
        {(control) => (
          <select {...control} value={filter.via} onChange={({ currentTarget }) => set({ via: currentTarget.value })}>
            <option value="">{w.all}</option>
            {VIAS.map((via) => (
              <option key={via} value={via}>
                {w.vias[via]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        type="datetime-local"
        label={w.from}
        description={w.zone(zone)}
        error={wrong(filter.from)}
        value={filter.from}
        onValue={(from) => set({ from })}
      />
      <TextField
        type="datetime-local"
        label={w.to}
        description={w.zone(zone)}
        error={wrong(filter.to)}
        value={filter.to}
        onValue={(to) => set({ to })}
      />
      {!isEmpty && <Button onPress={() => onFilter(NO_FILTER)}>{w.clear}</Button>}
    </div>
  );
}
