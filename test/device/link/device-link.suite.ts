/** The behaviour of every DeviceLink: FakeDevice and the agent pass it alike. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';
import type { DeviceLink } from '../../../domain/ports/device-link.ts';
import { runSpec } from '../agent/fixtures/spec.ts';
import { Watched } from '../agent/fixtures/test-device.ts';
import { until } from '../../helpers/until.ts';

export interface DeviceUnderTest {
  link: DeviceLink;
  /** Moves the run on air, where it does not do so by itself. */
  goOnAir(runId: string): void;
}

export function deviceLinkSuite(name: string, open: (test: TestContext) => Promise<DeviceUnderTest>): void {
  const watching = (test: TestContext, link: DeviceLink): Watched => {
    const watched = new Watched();
    test.after(
      link.watch(
        (message) => watched.messages.push(message),
        (online) => watched.states.push(online),
      ),
    );
    return watched;
  };

  describe(`DeviceLink: ${name}`, () => {
    test(`${name} takes a run from start to forget`, async (t) => {
      const { link, goOnAir } = await open(t);
      const watched = watching(t, link);
      const spec = { ...runSpec(), order: 'sealed' };
      const { runId } = spec;

      const before = await link.hello();
      assert.deepEqual(before.runs, []);
      assert.match(before.mediaUrl, /^http:\/\/127\.0\.0\.1:\d+$/u);
      assert.ok(before.cores > 0 && before.capabilities.inputs.includes('File'));

      assert.equal(before.mark, undefined);
      for (const mark of ['first', 'second']) await link.keepMark?.(mark);
      assert.equal((await link.hello()).mark, 'second');
      await assert.rejects(link.order!(runId), { code: 'not_found' });

      await link.start(spec);
      assert.equal(await link.order?.(runId), 'sealed');
      await until('a first report', () => watched.phase(runId) !== undefined);
      goOnAir(runId);
      await until('on air', () => watched.phase(runId) === 'running');
      await until('the event of it', () => watched.events(runId).some((event) => event.kind === 'started'));
      assert.deepEqual(
        (await link.hello()).runs.map((report) => [report.runId, report.phase]),
        [[runId, 'running']],
      );
      await assert.rejects(link.forget(runId), { code: 'wrong_state' });

      await link.stop(runId);
      // Without another wait: whoever stops a run has its last event and its last report.
      assert.equal(watched.phase(runId), 'stopped');
      const events = watched.events(runId);
      assert.equal(events.at(-1)?.kind, 'stopped');
      assert.deepEqual(
        events.map((event) => event.seq),
        events.map((_, index) => index + 1),
      );
      assert.deepEqual(
        (await link.hello()).runs.map((report) => report.phase),
        ['stopped'],
        'an ended run is reported until it is forgotten',
      );

      await link.stop(runId);
      await link.forget(runId);
      await until('gone', () => watched.messages.some((message) => message.type === 'gone' && message.runId === runId));
      assert.deepEqual((await link.hello()).runs, []);
      await link.forget(runId);
      assert.deepEqual(watched.states, [true]);
    });

    test(`${name} takes a start idempotently by run id, also at the same moment`, async (t) => {
      const { link, goOnAir } = await open(t);
      const watched = watching(t, link);
      const spec = runSpec();
      await Promise.all([link.start(spec), link.start(spec)]);
      goOnAir(spec.runId);
      await until('on air', () => watched.phase(spec.runId) === 'running');
      await link.start(spec);
      // The event comes behind the report that says running.
      await until('the event of it', () => watched.events(spec.runId).some((event) => event.kind === 'started'));
      assert.equal((await link.hello()).runs.length, 1);
      assert.equal(watched.events(spec.runId).filter((event) => event.kind === 'started').length, 1);
    });

    test(`${name} sends a later watcher every event from the first`, async (t) => {
      const { link, goOnAir } = await open(t);
      const first = watching(t, link);
      const spec = runSpec();
      await link.start(spec);
      goOnAir(spec.runId);
      await until('the first event', () => first.events(spec.runId).length > 0);
      await link.stop(spec.runId);
      const later = watching(t, link);
      await until('the last report', () => later.phase(spec.runId) === 'stopped');
      assert.deepEqual(later.events(spec.runId), first.events(spec.runId));
    });

    test(`${name} ends the older run of a Live stream when a new one starts`, async (t) => {
      const { link, goOnAir } = await open(t);
      const watched = watching(t, link);
      const old = runSpec();
      const next = runSpec({ livestreamId: old.livestreamId });
      await link.start(old);
      goOnAir(old.runId);
      await until('the old one on air', () => watched.phase(old.runId) === 'running');
      await link.start(next);
      await until('the old one stopped', () => watched.phase(old.runId) === 'stopped');
      goOnAir(next.runId);
      await until('the new one on air', () => watched.phase(next.runId) === 'running');
    });

    test(`${name} has stopped and forgotten an unknown run already`, async (t) => {
      const { link } = await open(t);
      await link.stop(randomUUID());
      await link.forget(randomUUID());
    });
  });
}
