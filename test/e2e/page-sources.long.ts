import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { it } from 'node:test';
import { freePort } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';
import { startPageServer } from './page-fixture.ts';

it(
  'a pushed Source shows where to push, its key, its picture and what a look finds',
  { timeout: 180_000 },
  async (t) => {
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
    await shown.getByText(/^rtmp:/u).waitFor();
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
  },
);
