import assert from 'node:assert/strict';
import test from 'node:test';
import { withDeadline } from '../../domain/time/deadline.ts';
import { FakeClock } from '../helpers/fake-clock.ts';

const never = new Promise<string>(() => undefined);

test('a result that comes before its deadline is the answer, and leaves no timer behind', async () => {
  const clock = new FakeClock();
  const answer = await withDeadline(Promise.resolve('in time'), 1000, () => 'late', clock);
  assert.equal(answer, 'in time');
  let isCalled = false;
  const failing = Promise.reject(new Error('refused'));
  await assert.rejects(
    withDeadline(failing, 1000, () => (isCalled = true), clock),
    { message: 'refused' },
  );
  clock.advance(2000);
  assert.equal(isCalled, false);
});

test('a result that misses its deadline is answered by the caller, with a value or with an error', async () => {
  const clock = new FakeClock();
  const late = withDeadline(never, 1000, () => 'late', clock);
  const failed = withDeadline(
    never,
    1000,
    () => {
      throw new RangeError('not in time');
    },
    clock,
  );
  clock.advance(1000);
  assert.equal(await late, 'late');
  await assert.rejects(failed, { name: 'RangeError', message: 'not in time' });
});

test('a deadline that ends the work is the answer, and not the end of the work', async () => {
  const clock = new FakeClock();
  let end = (): void => undefined;
  const work = new Promise<string>((resolve) => (end = () => resolve('ended')));
  const late = withDeadline(
    work,
    1000,
    async () => {
      end();
      await work;
      throw new RangeError('not in time');
    },
    clock,
  );
  clock.advance(1000);
  await assert.rejects(late, { name: 'RangeError' });
});
