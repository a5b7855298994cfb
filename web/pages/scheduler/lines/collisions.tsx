/** When more is planned than there is room for, and what it is: each can be opened from here. */
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { clockText } from '../../../zone.ts';
import type { Plan } from '../data/occurrences.ts';
import { words } from '../words.ts';
import { choose } from './acts.ts';
import type { Over, Place } from './capacity.ts';
import { dayText } from './rows.ts';

export function Collisions({ places, plan }: { places: readonly Place[]; plan: Plan }) {
  const all = places.flatMap(({ key, name, slots, over }) => over.map((each) => ({ key, name, slots, over: each })));
  if (all.length === 0) return null;
  const w = words.value;
  return (
    <section class="collisions" aria-label={w.noRoom}>
      <h2>{w.noRoom}</h2>
      <ul>
        {all.map(({ key, name, slots, over }) => (
          <li key={`${key} ${over.startMs}`}>
            <span class="warn">
              <span aria-hidden="true">▲ </span>
              {w.collision(whenOf(over), w.tooManyWant(over.count, name ?? w.allDevices, slots))}
            </span>
            <Names of={over} plan={plan} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Names({ of: { keys }, plan }: { of: Over; plan: Plan }) {
  const rows = plan.occurrences.filter(({ key }) => keys.includes(key));
  return (
    <>
      {rows.map(({ key, stream, name }) => (
        <Button key={key} kind="quiet" label={words.value.chooseOf(stream, name)} onPress={() => choose(key, plan)}>
          {stream}
        </Button>
      ))}
    </>
  );
}

function whenOf({ startMs, endMs }: Over): string {
  const zone = shownZone.value;
  const time = (at: number): string => clockText(at, zone).slice(0, 5);
  return `${dayText(startMs, zone)} ${time(startMs)}–${time(endMs)}`;
}
