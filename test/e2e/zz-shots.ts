/* scratch */
import { startPageServer } from './page-fixture.ts';
import { smallBroadcast, goOnAir } from '../helpers/broadcast.ts';
import { until } from '../helpers/until.ts';
const tasks: (() => unknown)[] = [];
const server = await startPageServer({ after: (task: unknown) => void tasks.unshift(task as () => unknown) });
const { service } = server;
const step = process.argv[2] ?? 'all';
const shot = (page: import('playwright-core').Page, name: string) => page.screenshot({ path: `/tmp/w/live/${name}.png` });
try {
  if (step === 'wizard' || step === 'all') {
    const o = await server.open({ role: 2, route: 'live-streams' });
    await o.page.getByRole('region', { name: 'Put a first broadcast on air' }).waitFor();
    await shot(o.page, 'wizard');
    await o.assertAccessible().catch((e) => console.log(String(e.message)));
    console.log(o.faults());
    await o.page.context().close();
  }
  const show = await smallBroadcast(service, [{ name: 'Partner', type: 'RTMP', settings: { url: 'rtmp://127.0.0.1:9/live', stream_key: 'x' } }]);
  for (const name of ['Evening news', 'Chapel', 'Arena 2', 'Studio 1'])
    await service.create('/livestreams', { name, channelId: show.channelId, encodingId: 1, publishingId: show.publishingId, enabled: name !== 'Chapel' });
  await goOnAir(service, show.livestreamId);
  for (const [name, theme, width, height] of [['dark', 'dark', 1440, 900], ['light', 'light', 1440, 900], ['phone', 'dark', 390, 844]] as const) {
    const o = await server.open({ role: 1, route: 'live-streams', theme, width, height });
    const { page } = o;
    page.setDefaultTimeout(8000);
    await page.getByRole('row', { name: /Show/ }).getByText('Live').waitFor();
    await page.waitForTimeout(800);
    await shot(page, `list-${name}`);
    await o.assertAccessible().catch((e) => console.log('list', String(e.message)));
    await o.assertReflow().catch((e) => console.log('list', String(e.message)));
    await page.getByRole('button', { name: 'Start Evening news' }).click();
    await page.getByRole('dialog', { name: 'Start Evening news' }).getByRole('radiogroup', { name: 'Where' }).waitFor();
    await page.waitForTimeout(300);
    await shot(page, `start-${name}`);
    await o.assertAccessible().catch((e) => console.log('start', String(e.message)));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Start Chapel' }).click();
    await page.getByRole('list', { name: 'In the way' }).waitFor();
    await shot(page, `way-${name}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop Show' }).click();
    await page.waitForTimeout(500);
    await shot(page, `stop-${name}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open Show' }).click();
    await page.getByRole('region', { name: 'Show' }).waitFor();
    await page.waitForTimeout(600);
    await shot(page, `drawer-${name}`);
    await o.assertAccessible().catch((e) => console.log('drawer', String(e.message)));
    await o.assertReflow().catch((e) => console.log('drawer', String(e.message)));
    await page.getByRole('tab', { name: 'Event log' }).click();
    await page.waitForTimeout(500);
    await shot(page, `events-${name}`);
    await o.assertAccessible().catch((e) => console.log('events', String(e.message)));
    for (const tab of ['Bindings', 'Recordings', 'Schedules', 'Planned actions', 'Last start configuration']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.waitForTimeout(300);
      await shot(page, `tab-${tab.split(' ')[0]}-${name}`);
    }
    await page.getByRole('button', { name: 'Edit Show' }).click();
    await page.waitForTimeout(300);
    await shot(page, `locked-${name}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New Live stream' }).click();
    await page.getByRole('form', { name: 'New Live stream' }).getByRole('combobox', { name: 'Source' }).click();
    await page.waitForTimeout(400);
    await shot(page, `editor-${name}`);
    await page.keyboard.press('Escape');
    await o.assertAccessible().catch((e) => console.log('editor', String(e.message)));
    console.log(name, o.faults());
    await page.context().close();
  }
} finally {
  for (const task of tasks) await task();
}
