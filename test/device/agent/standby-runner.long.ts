/** The runner in waiting: whom it succeeds, and that nobody finds one that nobody waits for. */
import assert from 'node:assert/strict';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { describe, test } from 'node:test';
import { killExact, type ProcessId } from '../../../device/process.ts';
import { runFiles } from '../../../device/run-dir.ts';
import { runSpec } from './fixtures/spec.ts';
import { gone, TestDevice } from './fixtures/test-device.ts';
import { until } from '../../helpers/until.ts';

const commandLine = ({ pid }: ProcessId): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
const kill = ({ pid, startTicks }: ProcessId): void =>
  void assert.ok(killExact(pid, startTicks, 'SIGKILL'), `process ${pid} is there to be killed`);

/** Other processes of the Device may end while they are looked at. */
function waiting(testDevice: TestDevice): ProcessId | undefined {
  return testDevice.processes().find((process) => {
    try {
      return commandLine(process).includes(` spare ${testDevice.dir}`);
    } catch {
      return false;
    }
  });
}

const another = (testDevice: TestDevice): Promise<ProcessId> => until('a runner in waiting', () => waiting(testDevice));

describe('a standby runner', { concurrency: 3 }, () => {
  test('a killed runner is succeeded by the standby runner, and then another one stands by', async (t) => {
    const testDevice = new TestDevice(t);
    const spec = runSpec();
    const { link, runner } = await testDevice.onAir(spec);
    const spare = await another(testDevice);
    kill(runner);
    const successor = await until('another runner', () => {
      const found = testDevice.runner(spec.runId);
      return found?.pid !== runner.pid && found;
    });
    assert.equal(successor.pid, spare.pid);
    assert.match(commandLine(successor), new RegExp(`^onair runner ${spec.runId}`, 'u'));
    const log = realpathSync(runFiles(testDevice.dir, spec.runId).log);
    assert.deepEqual(
      [1, 2].map((fd) => readlinkSync(`/proc/${successor.pid}/fd/${fd}`)),
      [log, log],
      'what it says is in the log of the run',
    );
    const next = await another(testDevice);
    assert.notEqual(next.pid, successor.pid);
    await link.stop(spec.runId);
    await gone('those of a run that is off air', next, successor);
  });

  test('a standby runner that dies is replaced; until then a killed runner has a successor all the same', async (t) => {
    const testDevice = new TestDevice(t);
    const spec = runSpec();
    const { runner } = await testDevice.onAir(spec);
    const spare = await another(testDevice);
    kill(spare);
    kill(runner);
    await until('another runner', () => {
      const found = testDevice.runner(spec.runId);
      return found !== undefined && ![runner.pid, spare.pid].includes(found.pid);
    });
    const next = await until('another one that waits', () => waiting(testDevice));
    assert.notEqual(next.pid, spare.pid);
  });

  test('no standby runner outlives its agent', async (t) => {
    const testDevice = new TestDevice(t);
    const spec = runSpec();
    await testDevice.onAir(spec);
    const spare = await another(testDevice);
    kill((await testDevice.health())!);
    // One that is still loading its program sees the end of its input when it has.
    await gone('that of a killed agent', spare);
    assert.ok(testDevice.runner(spec.runId), 'the run is on air');

    const second = (await testDevice.agent()).process;
    const next = await another(testDevice);
    process.kill(second.pid, 'SIGTERM');
    await gone('that of an ended agent', next, second);
    assert.ok(testDevice.runner(spec.runId), 'the run is on air still');
  });
});
