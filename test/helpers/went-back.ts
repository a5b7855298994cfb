/** A store that went back, as its server notices it: somebody was told of events that it does not have. */
import { toIso } from '../../domain/time/clock.ts';
import { beginEra, compareMark, markOf } from '../../domain/rules/installation/store-eras.ts';
import type { StoreEra } from '../../domain/shapes/installation/store-era.ts';
import type { Store } from '../../domain/ports/store.ts';

/** Answers the era behind the restore. `lost` is the number of events that were lost. */
export async function goBack(store: Store, lost = 10): Promise<Readonly<StoreEra> | undefined> {
  const now = toIso(store.clock.now());
  return store.tx((tx) => {
    beginEra(tx, now, 'before');
    const mark = markOf(tx, now)!;
    beginEra(tx, now, 'now');
    const next = { ...mark.next, events: mark.next['events']! + lost, livestreams: 500 };
    return compareMark(tx, now, { ...mark, next }, { name: 'studio', restored_to: now });
  });
}
