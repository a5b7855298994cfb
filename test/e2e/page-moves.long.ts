/** A person moves a broadcast to another Device on the page, and holds the fleet: what the dialogs say, and what the others see. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { toIso } from '../../domain/time/clock.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { FakeDevice } from '../helpers/fake-device.ts';
import { until } from '../helpers/until.ts';
import type { OpenPage } from './page-fixture.ts';
import { startMemoryPage, type MemoryPage } from './page-memory.ts';

describe('moves on the page', () => {
  const cleanUps: (() => unknown)[] = [];
  let memory: MemoryPage;
  let admin: OpenPage;
  let second: FakeDevice;
  let secondId: number;
  let livestreamId: number;

  before(async () => {
    memory = await startMemoryPage({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
    const { app } = memory;
    second = new FakeDevice({ now: () => toIso(app.clock.now()) });
    ({ id: secondId } = await app.data('addDevice', { name: 'enc2', ...app.network.stand('10.0.0.2:8092', second) }));
    await until('two Devices', async () => {
      const rows = await app.rows('getAllDevices', { fields: '*' });
      return rows.every(({ online, capabilities }) => online === true && capabilities !== null);
    });
    ({ livestreamId } = await addBroadcast(app));
    await app.data('startLivestream', { livestreamId, deviceId: app.deviceId });
    const { runId } = (await app.store.get('runs', livestreamId))!.row;
    await until('the run at the Device', () => app.device.runIds.includes(runId));
    app.device.running(runId);
    await until('on air', async () => (await app.store.get('runs', livestreamId))?.row.status === 2);
    admin = await memory.open({ role: 1, route: 'devices' });
  });
  after(async () => {
    await admin?.page.context().close();
    for (const task of cleanUps) await task();
  });

  const dialog = () => admin.page.getByRole('dialog', { name: 'Move Show', exact: true });

  it('a broadcast is moved to the Device that is chosen, and the dialog says what has come of it', async () => {
    const { page } = admin;
    await page.getByRole('button', { name: 'Move Show', exact: true }).click();
    await dialog().getByRole('radio', { name: 'enc2', exact: true }).check();
    assert.equal(await dialog().getByRole('radio', { name: 'studio', exact: true }).count(), 0, 'it is there already');
    await admin.assertAccessible();
    await dialog().getByRole('button', { name: 'Move Show', exact: true }).click();
    second.armed(await until('the run that waits', () => second.runIds.at(-1)));
    await dialog()
      .getByRole('status')
      .getByText(/Show.*enc2/u)
      .waitFor();
    assert.equal((await memory.app.store.get('runs', livestreamId))?.row.deviceId, secondId);
    await dialog().getByRole('button', { name: 'Close', exact: true }).first().click();
    const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'enc2', exact: true }) });
    await row.getByRole('link', { name: 'Show', exact: true }).waitFor();
  });

  it('a move that comes to nothing leaves it where it is, and the dialog says why', async () => {
    const { app } = memory;
    await admin.page.getByRole('button', { name: 'Move Show', exact: true }).click();
    await dialog().getByRole('button', { name: 'Move Show', exact: true }).click();
    app.device.failed(await until('the run that waits', () => app.device.runIds.at(-1)), 'No media within 25 s.');
    await dialog()
      .getByRole('alert')
      .getByText(/No media within 25 s/u)
      .waitFor();
    assert.equal((await app.store.get('runs', livestreamId))?.row.deviceId, secondId);
    await dialog().getByRole('button', { name: 'Close', exact: true }).first().click();
  });

  it('an Administrator holds and releases the fleet, and everybody sees on the page Devices by whom it is held', async () => {
    const operator = await memory.open({ role: 2, route: 'devices' });
    const banner = (of: OpenPage) => of.page.getByRole('region', { name: 'The fleet is held.', exact: true });
    const press = async (name: string): Promise<void> => {
      await admin.page.getByRole('button', { name, exact: true }).click();
      await admin.page.getByRole('dialog', { name, exact: true }).getByRole('button', { name, exact: true }).click();
    };
    assert.equal(await operator.page.getByRole('button', { name: 'Hold the fleet' }).count(), 0);
    await press('Hold the fleet');
    for (const each of [admin, operator])
      await banner(each)
        .getByText(/By admin, since/u)
        .waitFor();
    assert.equal(await banner(operator).getByRole('button').count(), 0);
    await admin.assertAccessible();
    await operator.page.setViewportSize({ width: 390, height: 844 });
    await operator.assertReflow('the banner');
    await press('Release the fleet');
    for (const each of [admin, operator]) await banner(each).waitFor({ state: 'detached' });
    await operator.page.context().close();
  });
});
