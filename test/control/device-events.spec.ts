/** Events that Devices tell, in each store: how many commits they take, in which order, once each, whatever ends or comes again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeviceCommits } from '../../control/device-commits.ts';
import { LivestreamSteps } from '../../control/livestream-steps.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { settled } from '../helpers/pass.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { until } from '../helpers/until.ts';
import {
  commitsOf,
  controlOf,
  logOf,
  messagesIn,
  numbered,
  onAir,
  pushedChannel,
  rowOf,
  started,
  STORES,
  entryOf,
} from './event-stores.ts';

for (const [name, open] of Object.entries(STORES)) {
  describe(`events of Devices in a store in ${name}`, () => {
    it('the first after a pause is stored at once, what follows within a tenth of a second is one commit, and other Devices have theirs', async (t) => {
      const { store } = await open(t);
      const steady = new FakeClock();
      const commits = new DeviceCommits({ store, log: silentLog, steady });
      cleanUp(t, () => commits.close());
      const messages = commitsOf(t, store);
      commits.add(1, entryOf('first'));
      await until('the first', () => messages.length === 1);
      for (const message of ['second', 'third']) commits.add(1, entryOf(message));
      await settled();
      commits.add(2, entryOf('of another'));
      commits.add(1, entryOf('fourth'));
      await until('that of another', () => messages.length === 2);
      steady.advance(99);
      await settled();
      steady.advance(1);
      await until('the others', () => messages.length === 3);
      assert.deepEqual(messages, [['first'], ['of another'], ['second', 'third', 'fourth']]);
    });

    it('a step of a Live stream waits for the events before it and they for no pause, and those behind it come behind it', async (t) => {
      const { store } = await open(t);
      const steady = new FakeClock();
      const commits = new DeviceCommits({ store, log: silentLog, steady });
      const steps = new LivestreamSteps({ commits, log: silentLog });
      cleanUp(t, () => commits.close());
      const messages = commitsOf(t, store);
      const step = (message: string) => async (): Promise<void> =>
        void (await store.tx((tx) => tx.insert('events', rowOf(message))));
      steps.addEvent(1, 9, entryOf('quiet'));
      await steps.drained(1);
      for (const message of ['a', 'b']) steps.addEvent(1, 9, entryOf(message));
      steps.addEvent(2, 9, entryOf('of another Live stream'));
      steps.add(1, step('the step'));
      for (const message of ['c', 'd']) steps.addEvent(1, 9, entryOf(message));
      steps.add(1, step('the last step'));
      await until('all', () => messages.flat().length === 8);
      assert.deepEqual(messages, [
        ['quiet'],
        ['a', 'b', 'of another Live stream'],
        ['the step'],
        ['c', 'd'],
        ['the last step'],
      ]);
    });

    it('what a Device tells of all its runs and ingests at once is one commit in its order, whatever reports come between', async (t) => {
      const { store } = await open(t);
      const device = new FakeDevice();
      const control = await controlOf(t, store, device);
      const [one, two] = [await onAir(store, control, device, '1'), await onAir(store, control, device, '2')];
      const channelId = await pushedChannel(store);
      const before = (await messagesIn(store)).length;
      const messages = commitsOf(t, store);
      const at = new Date().toISOString();
      const encoder = { epoch: 'e', at, channelId, kind: 'ingest_connected', severity: 'info', data: {} } as const;
      for (const [index, message] of numbered(1, 40).entries()) {
        const runId = index % 3 === 0 ? two : one;
        device.tell(runId, { publishings: device.report(runId).publishings });
        device.emit(runId, 'destination_down', message, 'warning');
        if (index % 10 === 9) device.emitIngest({ ...encoder, seq: index, message: `encoder ${index}` });
      }
      const expected = numbered(1, 40).flatMap((message, index) =>
        index % 10 === 9 ? [message, `encoder ${index}`] : [message],
      );
      await until('all', () => messages.flat().length === expected.length);
      assert.deepEqual(messages, [expected]);
      assert.deepEqual((await messagesIn(store)).slice(before), expected);
      assert.deepEqual(
        (await store.find('ingestMarks', {})).rows.map(({ epochs }) => epochs),
        [[{ epoch: 'e', seq: 39 }]],
      );
      const seqs = (await store.find('runs', {})).rows.map(({ runId, lastEventSeq }) => [runId, lastEventSeq]);
      assert.deepEqual(Object.fromEntries(seqs), { [one]: 27, [two]: 15 });
    });

    it('events before and behind the report that moves a run stand before and behind its move, at the end of a run too', async (t) => {
      const { store } = await open(t);
      const device = new FakeDevice();
      const control = await controlOf(t, store, device);
      const runId = await started(store, control, device);
      for (const message of numbered(1, 3)) device.emit(runId, 'source_restored', message);
      device.running(runId);
      for (const message of numbered(4, 6)) device.emit(runId, 'destination_down', message);
      device.failed(runId, 'The encoder is gone.');
      await until('the end', async () => (await store.find('runs', { where: { status: 3 } })).total === 1);
      assert.deepEqual((await messagesIn(store)).slice(1), [
        ...numbered(1, 3),
        'On air: viewers can see frames.',
        ...numbered(4, 6),
        'Off air: The encoder is gone.',
      ]);
    });

    it('a Recording that is finished comes behind the events before it', async (t) => {
      const { store } = await open(t);
      const device = new FakeDevice();
      const control = await controlOf(t, store, device);
      const runId = await onAir(store, control, device);
      const before = (await messagesIn(store)).length;
      const { livestreamId } = device.spec(runId);
      device.emit(runId, 'destination_down', 'event 1');
      // Its commit is under way.
      await settled();
      for (const message of numbered(2, 4)) device.emit(runId, 'recording_opened', message);
      device.putRecording({ livestreamId, runId, publishingId: 1 }, { state: 'finished' });
      await until('the Recording', async () => (await store.find('recordings', {})).rows[0]?.status === 'finished');
      const [last, ...rest] = (await messagesIn(store)).slice(before).reverse();
      assert.match(last!, /is finished/u);
      assert.deepEqual(rest.reverse(), numbered(1, 4));
    });

    it('an event that cannot be stored is left out and named once, and the others of its commit are stored', async (t) => {
      const { store } = await open(t);
      const errors: string[] = [];
      const device = new FakeDevice();
      const control = await controlOf(t, store, device, logOf(errors));
      const runId = await onAir(store, control, device);
      const before = (await messagesIn(store)).length;
      for (const message of numbered(1, 5)) device.emit(runId, 'destination_down', message);
      const damaged = { ...device.emit(runId, 'destination_down', 'event 6'), at: 'yesterday', message: 'damaged' };
      device.say({ type: 'event', event: { ...damaged, seq: damaged.seq + 1 } });
      for (let seq = damaged.seq + 2; seq < damaged.seq + 6; seq += 1)
        device.say({
          type: 'event',
          event: { ...damaged, at: new Date().toISOString(), seq, message: `event ${seq}` },
        });
      const expected = [...numbered(1, 6), ...numbered(damaged.seq + 2, damaged.seq + 5)];
      await until('the others', async () => (await messagesIn(store)).length === before + 10);
      assert.deepEqual((await messagesIn(store)).slice(before), expected);
      device.emit(runId, 'destination_down', 'told again under a number that is stored');
      device.say({ type: 'event', event: { ...damaged, at: new Date().toISOString(), seq: 99, message: 'the last' } });
      await until('the last', async () => (await messagesIn(store)).at(-1) === 'the last');
      assert.deepEqual(errors, ['Something that a Device tells was not stored']);
    });

    it('a server that is killed among commits leaves none half done, and the next one stores what is left, once and in order', async (t) => {
      const { store, successor } = await open(t);
      const device = new FakeDevice();
      const control = await controlOf(t, store, device);
      const runId = await onAir(store, control, device);
      const before = (await messagesIn(store)).length;
      for (let group = 0; group < 6; group += 1) {
        for (const message of numbered(group * 5 + 1, group * 5 + 5)) device.emit(runId, 'destination_down', message);
        await until('a commit', async () => (await messagesIn(store)).length >= before + group * 5);
      }
      for (const message of numbered(31, 40)) device.emit(runId, 'destination_down', message);
      control.close();
      const next = await successor();
      const found = (await messagesIn(next)).slice(before);
      assert.deepEqual(found, numbered(1, found.length));
      assert.equal(found.length % 5, 0, 'a commit is there whole or not at all');
      await controlOf(t, next, device);
      device.emit(runId, 'destination_down', 'event 41');
      await until('the last', async () => (await messagesIn(next)).includes('event 41'));
      const stored = (await messagesIn(next)).slice(before).filter((message) => message.startsWith('event '));
      assert.deepEqual(stored, numbered(1, 41));
    });
  });
}
