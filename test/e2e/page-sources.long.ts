import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { it } from 'node:test';
import { goOnAir, smallBroadcast, statusOf } from '../helpers/broadcast.ts';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';
import { startPageServer } from './page-fixture.ts';

it('a pushed Source shows where to push, its key, its picture and what a look finds', async (t) => {
  const { service, open } = await startPageServer(t);
  const settings = { app: 'live', port: await freePort() };
  const { body } = await service.rest('POST', '/channels', { name: 'OBS', type: 'RTMP-Push', settings });
  const { id, ingest } = body.data as { id: number; ingest: { url: string } };
  const stateOf = async (): Promise<string> => (await service.rest('GET', `/channels/${id}`)).body.data.ingest.state;
  await until('its listener', async () => (await stateOf()) === 'waiting');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=25'];
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=1000:sample_rate=48000'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '25', '-c:a', 'aac'];
  const args = ['-v', 'error', '-re', ...picture, ...sound, ...coding, '-f', 'flv', ingest.url];
  const encoder = spawn('ffmpeg', args, { stdio: 'ignore' });
  t.after(() => encoder.kill('SIGKILL'));

  const { page, faults, assertAccessible, assertReflow } = await open({ role: 2, route: `sources/${id}` });
  const image = page.getByRole('img', { name: 'Picture of OBS' });
  await image.waitFor();
  const width = await image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth);
  assert.equal(width, 640);
  const key = ingest.url.split('/').at(-1)!;
  assert.equal(await page.getByText(key).count(), 0, 'it is masked');
  await page.getByRole('button', { name: 'Show key' }).click();
  const shown = page.getByRole('dialog', { name: 'Key of OBS' });
  await shown.getByText(key, { exact: true }).waitFor();
  await assertAccessible();
  await page.keyboard.press('Escape');
  assert.equal(await page.getByText(key).count(), 0, 'it is gone with its dialog');

  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('dialog', { name: 'A new key for OBS?' }).getByRole('button', { name: 'New key' }).click();
  await shown.getByText(/^rtmp:.+\/live\/.+/u).waitFor();
  assert.equal(await shown.getByText(key).count(), 0, 'another one');
  await page.keyboard.press('Escape');
  assert.equal(await stateOf(), 'receiving', 'the connected encoder stays');

  await page.getByRole('button', { name: 'Look at it' }).click();
  await page.getByText('Nothing to warn of.').waitFor();
  await page.getByRole('meter', { name: 'Level of track 0' }).waitFor();
  await page.getByText('every 1.0 s').waitFor();
  await assertAccessible();
  await assertReflow();
  assert.deepEqual(faults(), []);
});

it('solo tells the loudness of a source, and its sound is changed on air', async (t) => {
  const { service, open } = await startPageServer(t);
  const { livestreamId } = await smallBroadcast(service, [{ name: 'Web', type: 'HLS / TS' }]);
  await goOnAir(service, livestreamId);
  const { page, faults, assertAccessible } = await open({ role: 2, route: 'on-air' });
  const tile = page.getByRole('article', { name: 'Show', exact: true });
  await tile.focus();
  await page.keyboard.press('Enter');
  const solo = page.getByRole('dialog', { name: 'Solo Show' });
  await solo.getByRole('tab', { name: 'Source' }).click();
  await solo.getByText(/-?\d+\.\d LUFS now/u).waitFor();
  await solo.getByText('Gain 0 dB, delay 0 ms').waitFor();

  await solo.getByRole('button', { name: 'Change sound' }).click();
  const form = page.getByRole('form', { name: 'Sound of Show' });
  await form.getByLabel('Gain (dB)').fill('-6');
  await form.getByLabel('Delay of the sound (ms)').fill('120');
  assert.equal(await form.getByText('Failover to the backup').count(), 0, 'the sound alone');
  await assertAccessible();
  await form.getByRole('button', { name: 'Save' }).click();
  await solo.getByText('Gain -6 dB, delay 120 ms').waitFor();
  const { status } = await statusOf(service, livestreamId);
  assert.equal(status, 2, 'it stays on air');
  await assertAccessible();
  assert.deepEqual(faults(), []);
});
