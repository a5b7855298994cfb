/** Runners die, hang and refuse to end. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import { shutdownAgent } from '../../../device/link/client.ts';
import { isAlive, killExact, waitForEnd, type ProcessId } from '../../../device/process.ts';
import { runFiles } from '../../../device/run-dir.ts';
import { runSpec } from './fixtures/spec.ts';
import { gone, TestDevice } from './fixtures/test-device.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';

const kill = ({ pid, startTicks }: ProcessId, signal: NodeJS.Signals): void =>
  void assert.ok(killExact(pid, startTicks, signal));

/** Sets the soft limit of open files of another process. */
function limitDescriptors(pid: number, limit: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}

// They wait more than they work: three at a time, on two cores.
describe('the life of runs', { concurrency: 3 }, () => {
  test('a killed runner is replaced in the same run directory, and its children do not outlive it', async (t) => {
    const testDevice = new TestDevice(t);
    const spec = runSpec({ name: 'stubborn child' });
    const { watched, runner: first } = await testDevice.onAir(spec);
    // Killed in the middle of a line.
    const files = runFiles(testDevice.dir, spec.runId);
    appendFileSync(files.events, '{"runId":"torn');

    kill(first, 'SIGKILL');
    const second = await until('another runner', () => {
      const runner = testDevice.runner(spec.runId);
      return runner?.pid !== first.pid && runner;
    });
    await until('on air again', () => watched.events(spec.runId).some((event) => event.kind === 'encoder_restarted'));
    assert.notEqual(second.pid, first.pid);
    assert.equal(readFileSync(files.events, 'utf8').includes('torn\n'), true);
    assert.deepEqual(await waitForEnd(first.children, 0), [], 'the old child is gone before the new runner works');
    assert.deepEqual(
      watched.events(spec.runId).map(({ seq }) => seq),
      [1, 2],
    );
    assert.equal(statSync(files.spec).mode & 0o777, 0o600);
  });

  itLong('a frozen runner is replaced', async (t) => {
    const testDevice = new TestDevice(t);
    const spec = runSpec();
    const { runner: first } = await testDevice.onAir(spec);
    kill(first, 'SIGSTOP');
    const second = await until('another runner', () => {
      const runner = testDevice.runner(spec.runId);
      return runner?.pid !== first.pid && runner;
    });
    assert.equal(isAlive(first.pid, first.startTicks), false);
    assert.ok(isAlive(second.pid, second.startTicks));
  });

  test('an agent without a free descriptor ends a run when it is stopped', async (t) => {
    const testDevice = new TestDevice(t);
    const spec = runSpec();
    const { link, runner } = await testDevice.onAir(spec);
    const { pid } = (await testDevice.health())!;
    // A descriptor of the agent that is free below its limit is none: the lowest number that it does not use becomes the limit.
    const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
    const free = Array.from({ length: used.size + 1 }, (_, number) => number).find((number) => !used.has(number))!;
    limitDescriptors(pid, free);
    await link.stop(spec.runId);
    for (const id of [runner, ...runner.children]) assert.equal(isAlive(id.pid, id.startTicks), false);
  });

  itLong('an agent that can see no process says that the run goes on, and ends it once it can', async (t) => {
    const testDevice = new TestDevice(t);
    const spec = runSpec();
    const { link, watched, runner } = await testDevice.onAir(spec);
    const { pid } = (await testDevice.health())!;
    // Not even the spare descriptor has a number below this limit.
    limitDescriptors(pid, 3);
    await assert.rejects(link.stop(spec.runId), { code: 'timeout' });
    assert.equal(watched.phase(spec.runId), 'running');
    assert.ok(isAlive(runner.pid, runner.startTicks));
    limitDescriptors(pid, 1024);
    await until('no process of the run', () =>
      [runner, ...runner.children].every((id) => !isAlive(id.pid, id.startTicks)),
    );
    await until('the end of the run', () => watched.phase(spec.runId) === 'stopped');
  });

  test('a stop ends a run whose processes are frozen or ignore signals, and delays no other call', async (t) => {
    const testDevice = new TestDevice(t);
    await testDevice.agent();
    const link = testDevice.link();
    const [frozen, deaf, other] = [
      runSpec({ name: 'stubborn child' }),
      runSpec({ name: 'deaf, stubborn child' }),
      runSpec(),
    ];
    await Promise.all([link.start(frozen), link.start(deaf)]);
    const runner = await until('a runner', () => testDevice.runner(frozen.runId));
    const deafRunner = await until('a deaf runner', () => testDevice.runner(deaf.runId));
    for (const id of [runner, ...runner.children]) kill(id, 'SIGSTOP');

    // The first one waits for the probe of ffmpeg.
    await link.hello();
    const answered: string[] = [];
    const stops = Promise.all([link.stop(frozen.runId), link.stop(deaf.runId)]).then(() => answered.push('stops'));
    await link.hello();
    answered.push('hello');
    await link.start(other);
    await until('another run', () => testDevice.runner(other.runId));
    await stops;
    assert.deepEqual(answered, ['hello', 'stops']);
    for (const id of [runner, deafRunner, ...runner.children, ...deafRunner.children]) {
      assert.equal(isAlive(id.pid, id.startTicks), false);
    }
    assert.deepEqual((await link.hello()).runs.map((run) => run.phase).sort(), ['running', 'stopped', 'stopped']);
    await link.forget(frozen.runId);
    assert.equal(existsSync(runFiles(testDevice.dir, frozen.runId).dir), false);
  });

  itLong('a run that is stopped while its runner starts never goes on air', async (t) => {
    const testDevice = new TestDevice(t);
    await testDevice.agent();
    const link = testDevice.link();
    // The first one waits for the probe of ffmpeg.
    await link.hello();
    const watched = testDevice.watch(link);
    const spec = runSpec();
    await link.start(spec);
    await link.stop(spec.runId);
    assert.deepEqual(watched.events(spec.runId), []);
    assert.notEqual(watched.phase(spec.runId), 'running');
  });

  test('an agent shut down with stop leaves no runner, one shut down with keep leaves the runners', async (t) => {
    const testDevice = new TestDevice(t);
    const agent = await testDevice.agent();
    const link = testDevice.link();
    const specs = [runSpec(), runSpec({ name: 'stubborn child' })];
    for (const spec of specs) await link.start(spec);
    const runners = await Promise.all(specs.map((spec) => until('a runner', () => testDevice.runner(spec.runId))));
    await shutdownAgent(testDevice.dir, 'keep');
    await gone('the agent', agent.process);
    assert.deepEqual(
      specs.map((spec) => testDevice.runner(spec.runId)),
      runners,
    );

    await testDevice.agent();
    await shutdownAgent(testDevice.dir, 'stop');
    await until('nothing in ps', () => testDevice.processes().length === 0).catch((error: unknown) => {
      throw new Error(
        testDevice
          .processes()
          .map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '))
          .join('; '),
        { cause: error },
      );
    });
  });

  itLong('a runner that cannot live is given up, with the reason', async (t) => {
    const testDevice = new TestDevice(t);
    await testDevice.agent();
    const link = testDevice.link();
    const watched = testDevice.watch(link);
    const spec = runSpec({ name: 'dies at once' });
    await link.start(spec);
    await until('failed', () => watched.phase(spec.runId) === 'failed');
    assert.match(watched.reports(spec.runId).at(-1)?.error ?? '', /ended 6 times within 60 s\. Last: exit code 3/u);
    assert.deepEqual(
      JSON.parse(readFileSync(runFiles(testDevice.dir, spec.runId).final, 'utf8')),
      watched.reports(spec.runId).at(-1),
    );
    await link.forget(spec.runId);
  });

  test('a run that fails by itself is not started again', async (t) => {
    const testDevice = new TestDevice(t);
    await testDevice.agentHere();
    const link = testDevice.link();
    const watched = testDevice.watch(link);
    const spec = runSpec({ name: 'fails' });
    await link.start(spec);
    await until('failed', () => watched.phase(spec.runId) === 'failed');
    assert.equal(watched.reports(spec.runId).at(-1)?.error, 'The source did not answer.');
    assert.deepEqual(
      watched.events(spec.runId).map((event) => event.kind),
      ['started', 'start_failed'],
    );
    assert.equal(testDevice.runner(spec.runId), undefined);
  });

  test('a final report that a full disk did not take comes over the connection, and the run is not started again', async (t) => {
    const testDevice = new TestDevice(t);
    const agent = await testDevice.agentHere();
    const link = testDevice.link();
    const watched = testDevice.watch(link);
    const spec = runSpec({ name: 'full disk' });
    await link.start(spec);
    await until('failed', () => watched.phase(spec.runId) === 'failed');
    assert.equal(watched.reports(spec.runId).at(-1)?.error, 'The disk is full.');
    assert.equal(testDevice.runner(spec.runId), undefined);
    assert.doesNotMatch(agent.output(), /started again|hangs/u);
    assert.deepEqual(
      watched.events(spec.runId).map((event) => event.kind),
      ['started', 'start_failed'],
    );
  });
});
