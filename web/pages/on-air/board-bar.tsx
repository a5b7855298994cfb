/** Above the wall: its name, the filter, the order and the size of the tiles. */
import type { Signal } from '@preact/signals';
import { hrefOf } from '../../route.ts';
import { Button } from '../../ui/button.tsx';
import { RadioGroup } from '../../ui/radio-group.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { ORDERS, SIZES } from './arrange.ts';
import { resize, tileSize, wallPrefs } from './wall-prefs.ts';
import { words } from './words.ts';

interface BoardBarProps {
  title: string;
  filter: Signal<string>;
  isMonitor: boolean;
}

export function BoardBar({ title, filter, isMonitor }: BoardBarProps) {
  const w = words.value.board;
  const { order } = wallPrefs.value;
  const { place } = tileSize.value;
  return (
    <div class="bar board-bar">
      <h1>{title}</h1>
      {!isMonitor && <SearchBox value={filter.value} onValue={(value) => (filter.value = value)} />}
      <span class="grow" />
      <RadioGroup
        label={w.order}
        value={order}
        options={ORDERS.map((value) => ({ value, label: w.orders[value] }))}
        onValue={(value) => (wallPrefs.value = { ...wallPrefs.peek(), order: value })}
      />
      <span class="acts sizes" role="group" aria-label={w.size}>
        <Button
          label={w.smaller}
          keyHint="-"
          kind="quiet"
          disabledWhy={place === 0 ? w.size : undefined}
          onPress={() => resize(-1)}
        >
          <span aria-hidden="true">−</span>
        </Button>
        <Button
          label={w.larger}
          keyHint="+"
          kind="quiet"
          disabledWhy={place === SIZES.length - 1 ? w.size : undefined}
          onPress={() => resize(1)}
        >
          <span aria-hidden="true">+</span>
        </Button>
      </span>
      <a class="soft" href={hrefOf(isMonitor ? 'on-air' : 'wall')}>
        {isMonitor ? words.value.wall.back : w.monitor}
      </a>
    </div>
  );
}
