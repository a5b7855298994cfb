/** Events that Devices tell while the store refuses them, or its answers are lost. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DeviceCommits } from '../../control/device-commits.ts';
import type { Log } from '../../domain/base/log.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { openLine } from '../helpers/line.ts';
import { sharedServer } from '../helpers/postgres.ts';
import { silentLog } from '../helpers/silent-log.ts';
import { until } from '../helpers/until.ts';
import { fillUntilRefused } from '../store/filling.ts';
import { openMember } from '../store/shared-members.ts';
import { mountedFolder, openedStore } from '../store/support.ts';
import { controlOf, messagesIn, numbered, onAir, entryOf } from './event-stores.ts';

describe('events of Devices in a store that refuses', () => {
  it('a full disk: what was refused is stored once there is room, before what came later and without being told again', async (t) => {
    const disk = await mountedFolder(t, '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs');
    if (disk === undefined) return;
    const ballast = join(disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(400 * 1024));
    const store = await openedStore({ dir: join(disk, 'store') });
    await fillUntilRefused(store);
    const warnings: string[] = [];
    const steady = new FakeClock();
    const log: Log = { ...silentLog, warn: (_facts, message) => void warnings.push(message) };
    const commits = new DeviceCommits({ store, log, steady });
    cleanUp(t, () => commits.close());
    // More than the last blocks have room for, and less than the journal takes ahead.
    const long = numbered(1, 4).map((message) => `${message} ${'x'.repeat(8000)}`);
    for (const message of long.slice(0, 3)) commits.add(1, entryOf(message));
    await until('the refusal', () => warnings.length === 1);
    for (const message of long.slice(1)) commits.add(1, entryOf(message));
    await assert.rejects(commits.settle(1), /disk of the data folder is full/u);
    await rm(ballast);
    await until('all', async () => {
      steady.advance(1000);
      return (await messagesIn(store)).length === 4;
    });
    assert.deepEqual(await messagesIn(store), long);
    assert.equal(warnings.length, 1);
  });

  it('a database whose answers are lost: what it has stored is not stored again, and what it has not is', async (t) => {
    const server = await sharedServer();
    const url = new URL(await server.database());
    const line = await openLine(Number(url.port));
    cleanUp(t, () => line.close());
    url.port = String(line.port);
    const store = await openMember(t, url.href, { waits: { patienceMs: 500 } });
    const device = new FakeDevice();
    const control = await controlOf(t, store, device);
    const runId = await onAir(store, control, device);
    const before = (await messagesIn(store)).length;
    line.stall('far');
    for (const message of numbered(1, 10)) device.emit(runId, 'destination_down', message);
    const count = 'select count(*) as n from onair.events';
    const counted = async (): Promise<number> => Number((await server.query(count, url.pathname.slice(1)))[0]!['n']);
    await until('the commit in the database', async () => (await counted()) === before + 10);
    for (const message of numbered(11, 20)) device.emit(runId, 'destination_down', message);
    device.goOffline();
    line.mend();
    device.goOnline();
    await until('all', async () => (await messagesIn(store).catch(() => [])).length >= before + 20);
    device.emit(runId, 'destination_down', 'event 21');
    await until('the last', async () => (await messagesIn(store)).includes('event 21'));
    assert.deepEqual((await messagesIn(store)).slice(before), numbered(1, 21));
  });
});
