/** Chooses the Live streams of the week. */
import { useSignal } from '@preact/signals';
import { words as shared } from '../../../i18n/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SearchBox } from '../../../ui/search-box.tsx';
import type { Plan } from '../data/occurrences.ts';
import { words } from '../words.ts';
import { inWeek, MAX_IN_WEEK, weekChoice } from './week-choice.ts';

export function WeekChoice({ streams }: Pick<Plan, 'streams'>) {
  const isOpen = useSignal(false);
  const w = words.value;
  const shown = inWeek(streams, weekChoice.value);
  return (
    <p class="acts">
      <Button onPress={() => (isOpen.value = true)}>{w.chooseStreams}</Button>
      <span class="soft">{w.streamsShown(shown.length, streams.length)}</span>
      {isOpen.value && <WeekDialog streams={streams} onClose={() => (isOpen.value = false)} />}
    </p>
  );
}

function WeekDialog({ streams, onClose }: Pick<Plan, 'streams'> & { onClose: () => void }) {
  const ids = useSignal<readonly number[]>(inWeek(streams, weekChoice.peek()).map(({ id }) => id));
  const text = useSignal('');
  const w = words.value;
  const isFull = ids.value.length >= MAX_IN_WEEK;
  const toggle = (id: number): void => {
    ids.value = ids.value.includes(id) ? ids.value.filter((each) => each !== id) : [...ids.value, id];
  };
  const take = (): void => {
    weekChoice.value = ids.peek();
    onClose();
  };
  const found = streams.filter(({ name }) => name.toLowerCase().includes(text.value.trim().toLowerCase()));
  return (
    <Dialog title={w.streams} description={w.chooseUpTo(MAX_IN_WEEK)} onClose={onClose}>
      <SearchBox value={text.value} onValue={(typed) => (text.value = typed)} />
      <div class="dialog-scroll week-streams" role="group" aria-label={w.streams}>
        {found.map(({ id, name }) => (
          <label key={id}>
            <input
              type="checkbox"
              checked={ids.value.includes(id)}
              disabled={isFull && !ids.value.includes(id)}
              onChange={() => toggle(id)}
            />{' '}
            {name}
          </label>
        ))}
      </div>
      <p role="status" class="soft">
        {w.streamsChosen(ids.value.length, MAX_IN_WEEK)}
      </p>
      <footer class="dialog-foot">
        <Button onPress={onClose}>{shared.value.ui.cancel}</Button>
        <Button kind="main" disabledWhy={ids.value.length === 0 ? w.chooseUpTo(MAX_IN_WEEK) : undefined} onPress={take}>
          {w.showThese}
        </Button>
      </footer>
    </Dialog>
  );
}
