/** Which days are shown, how, and what is left out. */
import { can } from '../../api/can.ts';
import { language } from '../../i18n/words.ts';
import { shownZone } from '../../shown-zone.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { dateText } from '../../zone.ts';
import type { OccurrenceRow } from './data/occurrences.ts';
import {
  dayCount,
  firstDay,
  goDays,
  goToday,
  isToday,
  open,
  search,
  showView,
  stateFilter,
  view,
  VIEWS,
} from './data/state.ts';
import { words } from './words.ts';

const STATES = ['planned', 'on_air', 'done', 'skipped', 'missed', 'failed'] as const;

export function Bar() {
  const w = words.value;
  const step = view.value === 'rundown' ? Number(dayCount.value) : 7;
  return (
    <div class="bar scheduler-bar">
      {can('addSchedule') && (
        <Button kind="main" icon="plus" keyHint="N" onPress={() => (open.value = { kind: 'add' })}>
          {w.add}
        </Button>
      )}
      <div class="acts" role="group" aria-label={w.range}>
        <Button kind="quiet" icon="chevron-left" label={w.before} onPress={() => goDays(-step)}>
          {''}
        </Button>
        <Button kind="quiet" pressed={isToday.value} onPress={goToday}>
          {w.today}
        </Button>
        <Button kind="quiet" icon="chevron-right" label={w.after} onPress={() => goDays(step)}>
          {''}
        </Button>
        <strong>{dateText(firstDay.value, shownZone.value, language.value)}</strong>
        <span class="soft">{shownZone.value}</span>
      </div>
      <RadioGroup
        label={w.view}
        value={view.value}
        onValue={showView}
        options={VIEWS.map((value) => ({ value, label: w.views[value] }))}
      />
      {view.value === 'rundown' && (
        <RadioGroup
          label={w.days}
          value={dayCount.value}
          onValue={(next) => (dayCount.value = next)}
          options={(['1', '3', '7'] as const).map((value) => ({ value, label: w.dayCounts[value] }))}
        />
      )}
      <SearchBox value={search.value} onValue={(text) => (search.value = text)} />
      <Field label={w.state}>
        {(control) => (
          <select
            {...control}
            value={stateFilter.value}
            onChange={({ currentTarget }) => (stateFilter.value = currentTarget.value as '' | OccurrenceRow['state'])}
          >
            <option value="">{w.allStates}</option>
            {STATES.map((state) => (
              <option key={state} value={state}>
                {w.states[state]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
