/** The parts of the agent that need no process of their own. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseRange } from '../../../domain/network/http-conditions.ts';
import { eventBytes, parseEvent, readEvents } from '../../../device/agent/runs/event-file.ts';
import { acquireLock } from '../../../device/agent/lock.ts';
import { sweepLive } from '../../../device/agent/runs/live-sweep.ts';
import { agentRecordFile, formerMediaPort, readAgentRecord } from '../../../device/agent/paths.ts';
import { RestartBudget } from '../../../device/agent/runs/restart-budget.ts';
import {
  createRun,
  findChildren,
  findRunner,
  isRunId,
  listRuns,
  readFinal,
  readOrder,
} from '../../../device/agent/runs/run-record.ts';
import { ownUrl } from '../../../bin/settings/own-address.ts';
import { namesIn } from '../../../linux/folder.ts';
import { isHeld } from '../../../store/files/lock.ts';
import { openLogFile, shortenLog } from '../../../device/log-file.ts';
import { bootId, identify, isAlive, killExact, parseStartTicks } from '../../../device/process.ts';
import { liveDir, runFiles, socketPath } from '../../../device/run-dir.ts';
import { runSpec } from './fixtures/spec.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { testFolder } from '../../helpers/test-folder.ts';

function folder(t: TestContext): string {
  return testFolder(t, 'parts');
}

test('the start time of a process is read whatever its name', () => {
  const fields = 'S 1 2 3 4 -1 5 6 7 8 9 10 11 12 13 20 0 1 0 4711 99 98';
  assert.equal(parseStartTicks(`77 (node) ${fields}`), 4711);
  assert.equal(parseStartTicks(`77 (a) R 1) ${fields}`), 4711);
  assert.equal(parseStartTicks(`77 (node) ${fields.replace('S', 'Z')}`), undefined, 'a zombie has ended');
  const self = identify(process.pid);
  assert.ok(self !== undefined && isAlive(self.pid, self.startTicks));
  assert.equal(isAlive(process.pid, self.startTicks + 1), false);
  // Had it been taken for this process, the test would be over.
  assert.equal(killExact(process.pid, self.startTicks + 1, 'SIGKILL'), false);
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) assert.equal(identify(pid), undefined);
});

test('events are read in whole lines; a torn line is skipped, and an event that follows it on the same line is read', async (t) => {
  const path = join(folder(t), 'events.jsonl');
  const line = (seq: number): string =>
    JSON.stringify({ runId: 'r', livestreamId: 1, seq, kind: 'started', message: 'ä' });
  assert.deepEqual(await readEvents(path, 0), { events: [], position: 0 });
  writeFileSync(path, `${line(1)}\n${line(2).slice(0, 20)}`);
  const first = await readEvents(path, 0);
  assert.deepEqual(
    first.events.map(({ seq }) => seq),
    [1],
  );
  assert.deepEqual(await readEvents(path, first.position), { events: [], position: first.position });

  // A killed writer's half line, its successor's first one behind it, then rubbish.
  appendFileSync(path, `${line(3)}\nrubbish\nnull\n{"seq":"4"}\n${line(4)}\n`);
  const second = await readEvents(path, first.position);
  assert.deepEqual(
    second.events.map(({ seq }) => seq),
    [3, 4],
  );
  assert.equal(second.position, eventBytes(path));
  assert.equal(parseEvent(''), undefined);

  // More than one piece.
  appendFileSync(path, Array.from({ length: 3000 }, (_, index) => `${line(5 + index)}\n`).join(''));
  let [position, count] = [second.position, 0];
  for (;;) {
    const piece = await readEvents(path, position);
    if (piece.position === position) break;
    [position, count] = [piece.position, count + piece.events.length];
  }
  assert.equal(count, 3000);
});

test('the restart budget allows a restart at once, then slower, then never, and comes back with time', () => {
  const budget = new RestartBudget();
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((second) => budget.take(second * 1000)),
    [0, 200, 400, 800, 800, undefined],
  );
  assert.equal(budget.take(61_000), 800);
  assert.equal(budget.take(300_000), 0);
});

test('a Range header is read as one byte range, as none, or as one that cannot be satisfied', () => {
  const cases: [string | undefined, unknown][] = [
    [undefined, undefined],
    ['bytes=0-', [0, 99]],
    ['bytes=10-19', [10, 19]],
    ['bytes=90-500', [90, 99]],
    ['bytes=-10', [90, 99]],
    ['bytes=-500', [0, 99]],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=20-10', undefined],
    ['bytes=0-1,5-6', undefined],
    ['bytes=-', undefined],
    ['items=0-1', undefined],
    ['bytes=0-99999999999999999999', undefined],
  ];
  for (const [header, expected] of cases) assert.deepEqual(parseRange(header, 100), expected, header ?? 'none');
  assert.equal(parseRange('bytes=0-', 0), 'unsatisfiable');
});

test('a run directory that is incomplete is removed, a whole one is found', async (t) => {
  const dir = folder(t);
  const spec = runSpec();
  const files = await createRun(dir, spec);
  mkdirSync(join(dir, 'runs', '.new-half'));
  mkdirSync(join(dir, 'runs', 'no-spec'));
  const other = runFiles(dir, 'wrong-id');
  mkdirSync(other.dir);
  writeFileSync(other.spec, JSON.stringify(spec));
  assert.deepEqual(await listRuns(dir), [spec]);
  assert.equal(existsSync(other.dir), false);
  assert.equal(readOrder(files), true);
  writeFileSync(files.order, '{');
  assert.equal(readOrder(files), false);
});

test('what cannot be read is not taken for missing: files of a run, folders, and the holder of a data folder', async (t) => {
  const dir = folder(t);
  const spec = runSpec();
  const files = await createRun(dir, spec);
  // Everybody is refused a loop of links, root too.
  const unreadable = (path: string): void => {
    rmSync(path, { force: true });
    symlinkSync(path, path);
  };
  for (const path of [files.spec, files.order, files.state, files.final]) unreadable(path);
  for (const look of [readOrder, findRunner, findChildren, readFinal])
    assert.throws(() => look(files), { code: 'ELOOP' }, look.name);
  await assert.rejects(listRuns(dir), { code: 'ELOOP' });
  assert.ok(existsSync(files.dir), 'the run stays');
  unreadable(join(dir, 'lock.json'));
  await assert.rejects(isHeld(dir), { code: 'ELOOP' });
  unreadable(join(dir, 'address.json'));
  assert.throws(() => ownUrl({ host: '127.0.0.1', port: 0, data: dir }), { code: 'ELOOP' });
  unreadable(join(dir, 'folder'));
  await assert.rejects(namesIn(join(dir, 'folder')), { code: 'ELOOP' });
  assert.deepEqual(await namesIn(join(dir, 'missing')), []);
  assert.deepEqual(await namesIn(join(files.spawned, 'of a file')), []);
});

test('a process in a state file is taken for alive only in the same boot and with the same start time', async (t) => {
  const files = await createRun(folder(t), runSpec());
  const self = identify(process.pid) ?? { pid: 0, startTicks: 0 };
  const write = (state: object): void => writeFileSync(files.state, JSON.stringify(state));
  assert.equal(findRunner(files), undefined);
  write({ ...self, bootId: bootId(), children: [self] });
  assert.deepEqual([findRunner(files), findChildren(files)], [self, [self]]);
  write({ ...self, bootId: 'another boot', children: [self] });
  assert.deepEqual([findRunner(files), findChildren(files)], [undefined, []]);
  write({ ...self, startTicks: 1, bootId: bootId(), children: [{ ...self, startTicks: 1 }] });
  assert.deepEqual([findRunner(files), findChildren(files)], [undefined, []]);
  write({ bootId: bootId() });
  assert.deepEqual([findRunner(files), findChildren(files)], [undefined, []]);
});

test('a run that the end of the machine has stopped goes on after the boot; one that was stopped on order, or in this boot, does not', async (t) => {
  const now = identify(process.pid)?.startTicks ?? 0;
  // What began before the init of this machine is of an earlier boot.
  for (const [boot, startTicks, order, remains] of [
    ['another boot', now, { on: true }, false],
    ['another boot', now, { on: false }, true],
    [bootId(), -1, { on: true }, false],
    [bootId(), now, { on: true }, true],
  ] as const) {
    const dir = folder(t);
    const files = await createRun(dir, runSpec());
    writeFileSync(files.state, JSON.stringify({ bootId: boot, startTicks }));
    writeFileSync(files.order, JSON.stringify(order));
    writeFileSync(files.final, JSON.stringify({ phase: 'stopped' }));
    await listRuns(dir);
    assert.equal(existsSync(files.final), remains, `${boot} ${startTicks} ${order.on}`);
    writeFileSync(files.final, JSON.stringify({ phase: 'failed' }));
    await listRuns(dir);
    assert.equal(existsSync(files.final), true, 'a failure is one after a boot, too');
  }
});

test('run ids are plain file names', () => {
  for (const id of ['a', '01J-x_y.z', 'ec46ffdc-7cf8-433b-a838-d5abaecbf18a']) assert.ok(isRunId(id), id);
  for (const id of ['', '.', '..', '.new-a', 'a/b', '../a', 'a\0b', 'a b', 'x'.repeat(101), 7])
    assert.equal(isRunId(id), false, String(id));
});

test('a log is shortened while it is written, and no other file is', async (t) => {
  const dir = folder(t);
  const [path, other] = [join(dir, 'runner.log'), join(dir, 'other.log')];
  const fd = openLogFile(path);
  cleanUp(t, () => closeSync(fd));
  writeSync(fd, 'a little');
  await shortenLog(path, fd);
  assert.equal(statSync(path).size, 8);
  writeSync(fd, Buffer.alloc(11 << 20, 'x'));
  writeFileSync(other, '');
  await shortenLog(other, fd);
  await shortenLog(join(dir, 'missing'), fd);
  assert.ok(statSync(path).size > 11 << 20, 'the descriptor is not of that file');
  await shortenLog(path, fd);
  writeSync(fd, 'goes on');
  assert.equal(statSync(path).size, 7);
  assert.ok(statSync(`${path}.1`).size > 11 << 20);
  assert.equal(statSync(`${path}.1`).mode & 0o777, 0o600);

  writeSync(fd, Buffer.alloc(11 << 20, 'x'));
  closeSync(openLogFile(path));
  assert.equal(statSync(path).size, 0, 'a new process begins a new one');
});

test('the lock of a directory is held by one at a time, also when the directory is moved', async (t) => {
  const dir = folder(t);
  const release = await acquireLock(dir, 0);
  assert.ok(release);
  assert.equal(await acquireLock(`${dir}/.`, 0), undefined);
  // Another directory under the same path, as another container has it.
  renameSync(dir, `${dir}-moved`);
  cleanUp(t, () => rmSync(`${dir}-moved`, { recursive: true, force: true }));
  mkdirSync(dir);
  const other = await acquireLock(dir, 0);
  assert.ok(other);
  other();
  assert.equal(await acquireLock(`${dir}-moved`, 0), undefined);
  release();
  const again = await acquireLock(dir, 200);
  assert.ok(again);
  again();
});

test('the process of a recorded agent is valid in the same boot alone, its port in any', (t) => {
  const dir = folder(t);
  const record = {
    pid: 1,
    startTicks: 1,
    mediaUrl: 'http://127.0.0.1:8080',
    mediaPort: 8080,
    socket: '',
    bootId: bootId(),
  };
  assert.deepEqual([readAgentRecord(dir), formerMediaPort(dir)], [undefined, 0]);
  writeFileSync(agentRecordFile(dir), JSON.stringify(record));
  assert.deepEqual([readAgentRecord(dir), formerMediaPort(dir)], [record, 8080]);
  writeFileSync(agentRecordFile(dir), JSON.stringify({ ...record, bootId: 'another boot' }));
  assert.deepEqual([readAgentRecord(dir), formerMediaPort(dir)], [undefined, 8080]);
});

test('segments of Live streams that have no run are removed after a day', async (t) => {
  const dir = folder(t);
  const now = Date.now();
  const make = (livestreamId: number, publishingId: number, agedHours: number): string => {
    const live = liveDir(dir, livestreamId, publishingId);
    mkdirSync(join(live, '11'), { recursive: true });
    writeFileSync(join(live, '11/0-aaaaaaaa.ts'), 'segment');
    writeFileSync(join(live, '.journal.json'), '{}');
    for (const path of [join(live, '.journal.json'), live]) utimesSync(path, now / 1000, now / 1000 - agedHours * 3600);
    return live;
  };
  const [held, old, fresh, alone] = [make(1, 1, 48), make(2, 1, 25), make(2, 2, 23), make(3, 1, 25)];
  mkdirSync(join(dir, 'live/.gone-9-9/11'), { recursive: true });
  await sweepLive(dir, (id) => id === 1, now);
  assert.deepEqual([held, old, fresh, alone].map(existsSync), [true, false, true, false]);
  assert.deepEqual(readdirSync(join(dir, 'live')).sort(), ['1', '2']);
  await sweepLive(join(dir, 'missing'), () => false, now);
});

test('a socket whose path is too long lies in a folder that only its owner can open, or is refused', (t) => {
  const dir = folder(t);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = dir;
  cleanUp(t, () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
  const wanted = `/${'x'.repeat(120)}/runner.sock`;
  const ours = join(dir, `onair-${userInfo().uid}`);
  assert.equal(dirname(socketPath(wanted)), ours);
  chmodSync(ours, 0o750);
  assert.throws(() => socketPath(wanted), /only this user can open/u);
  rmSync(ours, { recursive: true });
  mkdirSync(join(dir, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(dir, 'elsewhere'), ours);
  assert.throws(() => socketPath(wanted), /only this user can open/u);
});
