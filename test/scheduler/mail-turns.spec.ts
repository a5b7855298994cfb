/** How often the duty of mails looks at its rules in a storm of events. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Store } from '../../domain/ports/store.ts';
import { MailRules } from '../../scheduler/mail-rules.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { settled } from '../helpers/pass.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { until } from '../helpers/until.ts';
import { eventRow, openedStore, temporaryFolder } from '../store/support.ts';

it('events of many commits that come while the rules are looked at wait for one further look', async (t) => {
  const store = await openedStore({ dir: await temporaryFolder(t) });
  const looks: (() => void)[] = [];
  /** The store, whose rules are read once the test lets them. */
  const slow = new Proxy(store, {
    get(target, name: keyof Store) {
      if (name !== 'find') return (target[name] as () => unknown).bind(target);
      return async (...[collection, query]: Parameters<Store['find']>) => {
        if (collection === 'mailRules') await new Promise<void>((resolve) => void looks.push(resolve));
        return target.find(collection, query);
      };
    },
  });
  const task = new MailRules({ store: slow, clock: new FakeClock(), log: silentLog } as never);
  cleanUp(t, () => task.end());
  const beginning = task.begin();
  await until('the look of the beginning', () => looks.length === 1);
  for (let event = 0; event < 20; event += 1) await store.tx((tx) => tx.insert('events', eventRow()));
  looks[0]!();
  await beginning;
  for (let at = 1; at < 3; at += 1) {
    await until(`look ${at}`, () => looks.length > at);
    looks[at]!();
    await settled();
  }
  assert.equal(looks.length, 3, 'for the first event, and for all the others');
});
