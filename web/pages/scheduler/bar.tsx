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
  firstDay,
  go,
  goToday,
  isToday,
  open,
  search,
  showView,
  showZoom,
  stateFilter,
  view,
  VIEWS,
  zoom,
  ZOOMS,
} from './data/state.ts';
import { words } from './words.ts';

const STATES = ['planned', 'on_air', 'done', 'skipped', 'missed', 'failed'] as const;

export function Bar() {
  const w = words.value;
  return (
    <div class="bar scheduler-bar">
      {can('addSchedule') && (
        <Button kind="main" icon="plus" keyHint="N" onPress={() => (open.value = { kind: 'add' })}>
          {w.add}
        </Button>
      )}
      <div class="acts" role="group" aria-label={w.range}>
        <Button kind="quiet" icon="chevron-left" label={w.before} onPress={() => go(-1)}>
          {''}
        </Button>
        <Button kind="quiet" pressed={isToday.value} onPress={goToday}>
          {w.today}
        </Button>
        <Button kind="quiet" icon="chevron-right" label={w.after} onPress={() => go(1)}>
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
          label={w.zoom}
          value={zoom.value}
          onValue={showZoom}
          options={ZOOMS.map((value) => ({ value, label: w.zooms[value] }))}
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
