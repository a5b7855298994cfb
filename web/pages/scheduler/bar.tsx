/** Which days are shown, how, and of which streams. */
import type { ComponentChildren } from 'preact';
import { shownZone } from '../../shown-zone.ts';
import { Button } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { dayText } from './texts.ts';
import { offset, rundownDays, shownDays, shownFrom, shownTo, view, type View } from './window.ts';
import { words } from './words.ts';

interface BarProps {
  filter: string;
  onFilter: (text: string) => void;
  /** The button of a new one. */
  children: ComponentChildren;
}

const VIEWS: readonly View[] = ['rundown', 'week', 'list'];
const DAYS = ['1', '3', '7'] as const;

export function Bar({ filter, onFilter, children }: BarProps) {
  const w = words.value;
  const turn = (days: number): void => {
    offset.value = days === 0 ? 0 : offset.value + days;
  };
  return (
    <div class="bar">
      {children}
      <Button icon="chevron-left" label={w.before} onPress={() => turn(-shownDays.value)}>
        {''}
      </Button>
      <Button onPress={() => turn(0)}>{w.today}</Button>
      <Button icon="chevron-right" label={w.after} onPress={() => turn(shownDays.value)}>
        {''}
      </Button>
      <strong>
        {dayText(shownFrom.value)} – {dayText(shownTo.value - 1)}
      </strong>
      <span class="soft">{shownZone.value}</span>
      <RadioGroup
        label={w.view}
        options={VIEWS.map((value) => ({ value, label: w.views[value] }))}
        value={view.value}
        onValue={(next) => (view.value = next)}
      />
      {view.value === 'rundown' && (
        <RadioGroup
          label={w.days}
          options={DAYS.map((value) => ({ value, label: value }))}
          value={String(rundownDays.value) as (typeof DAYS)[number]}
          onValue={(days) => (rundownDays.value = Number(days) as 1 | 3 | 7)}
        />
      )}
      <SearchBox value={filter} onValue={onFilter} />
    </div>
  );
}
