/** The answers of every store, whatever keeps its rows: one suite for all implementations. */
import type { TestContext } from 'node:test';
import type { Store } from '../../domain/ports/store.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import type { Opened } from './opened-store.ts';
import { feedsSuite } from './suite-feeds.ts';
import { historySuite } from './suite-history.ts';
import { rowsSuite } from './suite-rows.ts';
import { transactionsSuite } from './suite-transactions.ts';

export interface Subject {
  readonly name: string;
  open(t: TestContext, clock: FakeClock): Promise<Store>;
}

export function storeSuite({ name, open }: Subject): void {
  const opened: Opened = async (t) => {
    const clock = new FakeClock();
    return { store: await open(t, clock), clock };
  };
  rowsSuite(name, opened);
  transactionsSuite(name, opened);
  feedsSuite(name, opened);
  historySuite(name, opened);
}
