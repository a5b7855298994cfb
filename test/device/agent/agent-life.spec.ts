/** The agent dies, comes back, is replaced: broadcasts do not notice. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CurveWriter } from '../../../device/curves/curve-writer.ts';
import { shutdownAgent } from '../../../device/link/client.ts';
import { isAlive, killExact, type ProcessId } from '../../../device/process.ts';
import { runFiles } from '../../../device/run-dir.ts';
import { startingReport } from '../../../device/starting-report.ts';
import { systemClock } from '../../../domain/time/clock.ts';
import { runSpec } from './fixtures/spec.ts';
import { gone, TestDevice } from './fixtures/test-device.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { letPass } from '../../helpers/pass.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const kill = ({ pid, startTicks }: ProcessId, signal: NodeJS.Signals): void =>
  void assert.ok(killExact(pid, startTicks, signal));

// They wait more than they work: three at a time, on two cores.
describe('the life of the agent', { concurrency: 3 }, () => {
  test('the successor of a killed agent adopts, the runner is the same, and the watch goes on; SIGTERM ends the agent alone, and SIGHUP does not concern it', async (t) => {
    const testDevice = new TestDevice(t);
    const agent = await testDevice.agent();
    const link = testDevice.link();
    const watched = testDevice.watch(link);
    const spec = runSpec();
    await link.start(spec);
    const runner = await until('a runner', () => testDevice.runner(spec.runId));
    await until('on air', () => watched.phase(spec.runId) === 'running');

    kill(agent.process, 'SIGKILL');
    await until('offline', () => watched.states.at(-1) === false);
    const successor = await testDevice.agent();
    await until('adopted', () => watched.events(spec.runId).some((event) => event.kind === 'adopted'));
    assert.deepEqual(testDevice.runner(spec.runId), runner);
    assert.equal(successor.mediaUrl, agent.mediaUrl, 'the media port is kept');
    await until('online', () => watched.states.at(-1) === true);

    const hasTime = watched.messages.some((message) => message.type === 'storage' && !isNaN(Date.parse(message.at!)));
    assert.ok(hasTime, 'its time comes with its disks');

    kill(successor.process, 'SIGHUP');
    assert.equal((await link.hello()).runs.length, 1);
    kill(successor.process, 'SIGTERM');
    await gone('the agent', successor.process);
    assert.deepEqual(testDevice.runner(spec.runId), runner);
    assert.equal(existsSync(testDevice.socket), false);
  });

  test('a second agent in the same directory ends and says that another one serves it', async (t) => {
    const testDevice = new TestDevice(t);
    await testDevice.agentHere();
    const second = testDevice.program('device');
    let errorOutput = '';
    second.stderr?.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
    await once(second, 'close');
    assert.match(errorOutput, /Another Device agent serves/u);
    assert.equal(statSync(testDevice.socket).mode & 0o777, 0o600);
    assert.equal(statSync(join(testDevice.dir, 'runs')).mode & 0o777, 0o700);
  });

  test('an agent answers the curves of a run that is over, whose folder is gone', async (t) => {
    const testDevice = new TestDevice(t);
    const spec = runSpec();
    const writer = new CurveWriter(testDevice.dir, spec, systemClock);
    const at = Math.floor(systemClock.now() / 1000);
    writer.note(startingReport(spec, new Date().toISOString()));
    writer.close();
    await testDevice.agentHere();
    const wanted = { fromSeconds: at - 2, toSeconds: at + 3, points: 10 };
    const values = await until('what was noted', async () => {
      const curves = await testDevice.link().curves!(spec.livestreamId, wanted);
      return curves.values.paths_up.includes(0) ? curves.values : undefined;
    });
    assert.deepEqual([values.paths_up.length, values.speed], [5, [null, null, null, null, null]]);
  });

  test('a media port that is taken is replaced by another', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1');
    cleanUp(t, () => taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const testDevice = new TestDevice(t);
    const agent = await testDevice.agentHere('--media-port', String(port));
    assert.notEqual(agent.mediaUrl, `http://127.0.0.1:${port}`);
    await until('the log says so', () => agent.output().includes('media port is taken'));
    assert.equal((await fetch(`${agent.mediaUrl}/live/1/1/`)).status, 404);
  });

  test('a new agent restarts the runs that should be on and cleans up those that should be off', async (t) => {
    const testDevice = new TestDevice(t);
    const agent = await testDevice.agent();
    const link = testDevice.link();
    const [on, off] = [runSpec({ name: 'on' }), runSpec({ name: 'off, stubborn child' })];
    await link.start(on);
    await link.start(off);
    const first = await until('the runner that stays on', () => testDevice.runner(on.runId));
    const other = await until('the other one', () => testDevice.runner(off.runId));

    // The agent dies after it noted the order to stop; the machine's out-of-memory killer takes the rest.
    const stopping = link.stop(off.runId).catch(() => undefined);
    await until('the order', () => readFileSync(runFiles(testDevice.dir, off.runId).order, 'utf8').includes('false'));
    killExact(agent.process.pid, agent.process.startTicks, 'SIGKILL');
    killExact(other.pid, other.startTicks, 'SIGKILL');
    kill(first, 'SIGKILL');
    await stopping;

    await testDevice.agent();
    const next = await until('a new runner', () => testDevice.runner(on.runId));
    assert.notEqual(next.pid, first.pid);
    const report = await until('the end of the other', async () => {
      const runs = (await link.hello()).runs;
      return runs.find((run) => run.runId === off.runId && run.phase === 'stopped');
    });
    assert.equal(report.error, null);
    await gone('its children', ...other.children);
  });

  itLong('superviseAgent has a killed agent back, and replaces a frozen one', async (t) => {
    const testDevice = new TestDevice(t);
    const supervisor = testDevice.program('keep');
    let output = '';
    supervisor.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until('an agent', () => output.includes('\n'));
    const agent = await until('its health', () => testDevice.health());
    const link = testDevice.link();
    const spec = runSpec();
    await link.start(spec);
    const runner = await until('a runner', () => testDevice.runner(spec.runId));

    kill(agent, 'SIGKILL');
    const second = await until('the next agent', () => testDevice.health());
    assert.notEqual(second.pid, agent.pid);
    assert.equal(second.mediaUrl, agent.mediaUrl);

    // Not in the first moments of its life: then it would count as starting, which may take 15 s.
    await letPass(500);
    kill(second, 'SIGSTOP');
    const third = await until('one in place of the frozen one', async () => {
      const health = await testDevice.health();
      return health?.pid !== second.pid && health;
    });
    assert.equal(isAlive(second.pid, second.startTicks), false);

    // Stopped by hand: everything ends and stays so, although somebody keeps the agent.
    assert.equal(await shutdownAgent(testDevice.dir, 'stop'), true);
    assert.equal(isAlive(runner.pid, runner.startTicks), false);
    await gone('the agent', third);
    assert.equal(await shutdownAgent(testDevice.dir, 'stop'), false, 'none runs any more');
    await letPass(1200);
    assert.equal(await testDevice.health(), undefined);
    const byHand = await testDevice.agent();

    // The supervisor goes; the agent stays.
    supervisor.kill('SIGKILL');
    await until('the end of the supervisor', () => supervisor.signalCode !== null);
    assert.equal((await testDevice.health())?.pid, byHand.process.pid);
  });

  itLong('superviseAgent does not replace an agent that answers late because it is busy', async (t) => {
    const testDevice = new TestDevice(t);
    const supervisor = testDevice.program('keep');
    let output = '';
    supervisor.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    supervisor.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until('an agent', () => output.includes('mediaUrl'));
    const agent = await until('its health', () => testDevice.health());
    // Not in the first moments of its life: then it would count as starting.
    await letPass(500);
    kill(agent, 'SIGUSR2');
    const log = join(testDevice.dir, 'agent.log');
    await until('the end of its work', () => readFileSync(log, 'utf8').includes('"idle"'));
    await until('its silence is noticed', () => output.includes('silent for'));
    const after = await until('its health', () => testDevice.health());
    assert.deepEqual([after.pid, isAlive(agent.pid, agent.startTicks)], [agent.pid, true]);
    assert.doesNotMatch(output, /it is killed/u);
  });

  test('superviseAgent gives the agent and its runners the ffmpeg of ONAIR_FFMPEG, and they inherit no token', async (t) => {
    const folder = testFolder(t, 'own-ffmpeg');
    const ffmpeg = join(folder, 'ffmpeg');
    writeFileSync(ffmpeg, '#!/bin/sh\necho "ffmpeg version 9.9-own Copyright" >&2\n', { mode: 0o755 });
    const testDevice = new TestDevice(t, { ONAIR_FFMPEG: ffmpeg, ONAIR_BOOTSTRAP_TOKEN: 'canary-token' });
    let output = '';
    testDevice.program('keep').stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await until('an agent', () => output.includes('mediaUrl'));
    const agent = await until('its health', () => testDevice.health());
    const link = testDevice.link();
    assert.equal((await link.hello()).capabilities.ffmpeg_version, '9.9-own');
    const spec = runSpec();
    await link.start(spec);
    const runner = await until('a runner', () => testDevice.runner(spec.runId));
    for (const { pid } of [agent, runner]) {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      assert.ok(environment.includes(`ONAIR_FFMPEG=${ffmpeg}`));
      assert.ok(!environment.some((variable) => variable.includes('canary')));
    }
    assert.equal(await shutdownAgent(testDevice.dir, 'stop'), true);
  });
});
