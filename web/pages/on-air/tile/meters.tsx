/** Peak meters left and right with hold. Each second, or each picture, writes two properties and no view. */
import { useComputed, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { words as common } from '../../../i18n/words.ts';
import type { Levels, levelsOf } from '../../../live/measured.ts';
import { isPaused } from '../../../prefs.ts';
import { words } from '../words.ts';

const FLOOR = -60;
const HOLD_MS = 1_500;

interface MetersProps {
  levels: ReadonlySignal<ReturnType<typeof levelsOf>>;
  isWide?: boolean;
}

/** There is no meter of what nobody measures. */
export function Meters({ levels, isWide = false }: MetersProps) {
  const w = common.value;
  const kind = useComputed(() => (typeof levels.value === 'object' ? 'measured' : levels.value)).value;
  const look = `levels${isWide ? ' levels-wide' : ''}`;
  if (kind === undefined) return null;
  if (kind === 'not-measured') return <span class={`${look} levels-none`}>{words.value.tile.notMeasured}</span>;
  return (
    <span class={look}>
      <Level label={w.leftPeak} levels={levels} side="left" />
      <Level label={w.rightPeak} levels={levels} side="right" />
    </span>
  );
}

interface LevelProps extends Pick<MetersProps, 'levels'> {
  label: string;
  side: keyof Levels;
}

function Level({ label, levels, side }: LevelProps) {
  const element = useRef<HTMLSpanElement>(null);
  const held = useRef({ dbfs: FLOOR, at: 0 });
  const value = useComputed(() => (typeof levels.value === 'object' ? levels.value[side] : null));
  const now = useComputed(() => Math.max(FLOOR, Math.min(0, Math.round(value.value ?? FLOOR))));
  const text = useComputed(() => {
    const w = words.value.tile;
    return value.value === null ? w.noSound : w.level(value.value.toFixed(0));
  });
  useSignalEffect(() => {
    // Not `value` alone: the hold falls while the level stays.
    const dbfs = (typeof levels.value === 'object' ? levels.value[side] : null) ?? FLOOR;
    if (isPaused.value) return;
    const time = performance.now();
    if (dbfs >= held.current.dbfs || time - held.current.at > HOLD_MS) held.current = { dbfs, at: time };
    const share = (level: number): string => String(Math.max(0, Math.min(1, (level - FLOOR) / -FLOOR)));
    element.current?.style.setProperty('--share', share(dbfs));
    element.current?.style.setProperty('--hold', share(held.current.dbfs));
  });
  return (
    <span
      ref={element}
      role="meter"
      aria-label={label}
      aria-valuemin={FLOOR}
      aria-valuemax={0}
      aria-valuenow={now}
      aria-valuetext={text}
      class="level"
    >
      <span class="level-number" aria-hidden="true">
        {text}
      </span>
    </span>
  );
}
