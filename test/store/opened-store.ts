import type { TestContext } from 'node:test';
import type { Store } from '../../domain/ports/store.ts';
import type { FakeClock } from '../helpers/fake-clock.ts';

/** A new, empty store, and the clock that it goes by. */
export type Opened = (t: TestContext) => Promise<{ store: Store; clock: FakeClock }>;
