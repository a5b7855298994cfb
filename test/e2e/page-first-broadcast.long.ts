/** Live streams in the page with the real program and real ffmpeg: a first broadcast from a dropped video, its stop, and its start anew. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { makeClip } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { wordsOf } from '../helpers/words.ts';
import { startPageServer, troubleList } from './page-fixture.ts';

/** ONAIR_PAGE_SHOTS: a folder that gets pictures of the page, for a person to look at. */
async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['ONAIR_PAGE_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Drops a file as a person does from their desktop. */
async function drop(page: Page, path: string, name: string): Promise<void> {
  const bytes = readFileSync(path).toString('base64');
  const files = await page.evaluateHandle(
    ([content = '', filename = '']) => {
      const transfer = new DataTransfer();
      const array = Uint8Array.from(atob(content), (letter) => letter.codePointAt(0) ?? 0);
      transfer.items.add(new File([array], filename, { type: 'video/mp4' }));
      return transfer;
    },
    [bytes, name],
  );
  const region = page.getByRole('region', { name: 'Put a first broadcast on air' });
  await region.dispatchEvent('dragover', { dataTransfer: files });
  await region.dispatchEvent('drop', { dataTransfer: files });
}

describe('a first broadcast in the page', () => {
  it('a dropped video is on air, each step is told in words for people, and it is stopped and started by keys', async (t) => {
    const { service, open } = await startPageServer(t);
    const { page, faults, go, assertAccessible } = await open({ role: 2, route: 'live-streams' });
    const wizard = page.getByRole('region', { name: 'Put a first broadcast on air' });
    await wizard.waitFor();
    await drop(page, makeClip(join(service.scratch, 'dropped.mp4')), 'Opening night.mp4');
    const field = wizard.getByLabel('Video file');
    assert.equal(await field.evaluate((input: HTMLInputElement) => input.files?.[0]?.name), 'Opening night.mp4');
    await wizard.getByRole('button', { name: 'Put on air' }).click();
    const steps = wizard.getByRole('list', { name: 'Steps' });
    await steps.getByRole('listitem').first().waitFor();
    await wizard.getByText('"Opening night" is on air').waitFor();
    const texts = await steps.getByRole('listitem').allTextContents();
    for (const step of ['Upload the video', 'Source', 'Encodings', 'Destination', 'Live stream', 'Start'])
      assert.ok(
        texts.some((text) => text.includes(step) && text.includes('done')),
        `${step}: ${texts.join(' | ')}`,
      );
    assert.doesNotMatch((await wizard.textContent()) ?? '', /add[A-Z]|uploadAsset|start_livestream/u);
    await assertAccessible();
    await page.getByRole('table', { name: 'Live streams' }).getByText('Live · On air').waitFor();
    await go('on-air', 'On air');
    const tile = page.getByRole('article', { name: 'Opening night' });
    await until('the tile on air', async () => (await tile.getAttribute('data-state')) === 'on-air');

    await go('live-streams', 'Live streams');
    assert.equal(await wizard.count(), 0);
    await page.getByRole('searchbox', { name: 'Filter' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    const stop = page.getByRole('dialog', { name: 'Stop Opening night?' });
    await stop.getByText('1 Destination ends.').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await stop.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: 'Opening night' });
    await row.getByText('Off', { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.querySelector('th')?.textContent), 'Opening night');
    await page.keyboard.press('r');
    const start = page.getByRole('dialog', { name: 'Start Opening night' });
    const button = start.getByRole('button', { name: 'Start Opening night', exact: true });
    await until('a place', async () => (await button.getAttribute('aria-disabled')) === null);
    assert.ok(await button.evaluate((element) => element === document.activeElement));
    await page.keyboard.press('Enter');
    await start.waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Steps of Opening night' }).waitFor();
    await row.getByText('Live · On air').waitFor();
    assert.deepEqual(faults(), []);
  });

  it('a file that is no video is refused whole, with the step that failed, and nothing is left of it', async (t) => {
    const { service, open } = await startPageServer(t);
    const { page } = await open({ role: 2, route: 'live-streams' });
    const wizard = page.getByRole('region', { name: 'Put a first broadcast on air' });
    await wizard.getByLabel('Video file').setInputFiles({
      name: 'notes.mp4',
      mimeType: 'video/mp4',
      buffer: Buffer.from('These are notes.'),
    });
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/setUp'))
        keys.push(request.headers()['idempotency-key']);
    });
    await page.route('**/setUp', (route) => route.abort(), { times: 1 });
    await wizard.getByRole('button', { name: 'Put on air' }).click();
    const alert = wizard.getByRole('alert');
    await alert.getByText('The server cannot be reached.').waitFor();
    await wizard.getByRole('button', { name: 'Put on air' }).click();
    await alert.getByText('Nothing was set up, because “Upload the video” failed.').waitFor();
    await alert.getByRole('button', { name: 'Copy request id' }).waitFor();
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1], 'what nobody knows the end of is sent again under its key');
    const steps = await wizard.getByRole('list', { name: 'Steps' }).getByRole('listitem').allTextContents();
    assert.ok(
      steps.some((text) => text.includes('Upload the video') && text.includes('failed')),
      steps.join(' | '),
    );
    assert.equal((await service.rest('GET', '/livestreams')).body.pagination.total, 0);
  });

  it('OBS to a platform, recorded, every week: the plan with its warnings, then the set-up, its Schedule and its key', async (t) => {
    const { service, open } = await startPageServer(t);
    const { page, faults, assertAccessible, assertReflow } = await open({ role: 2, route: 'live-streams' });
    const wizard = page.getByRole('region', { name: 'Put a first broadcast on air' });
    await wizard.waitFor();
    await assertAccessible();
    await wizard.getByLabel('Encoder that pushes').selectOption('OBS and others, by RTMP');
    await wizard.getByLabel('Name').fill('High mass');
    await wizard.getByText('Quality, recording, time').click();
    await wizard.getByLabel('Deliver to').selectOption('LinkedIn');
    await wizard.getByRole('button', { name: 'Show the plan' }).click();
    await wizard.getByText('LinkedIn has no address for everybody').first().waitFor();
    assert.ok(faults().some((fault) => fault.startsWith('400 ')));
    await wizard.getByLabel('Server URL').fill('rtmps://in.example.test/live');
    await wizard.getByLabel('Stream key').fill('a-key-of-nobody-4711');
    await wizard.getByLabel('Quality').selectOption('1080p, 60 frames a second');
    await wizard.getByLabel('Record it as well').check();
    await wizard.getByLabel('Begins').fill('2099-01-04T10:00');
    await wizard.getByRole('button', { name: 'Show the plan' }).click();
    await wizard.getByRole('alert').getByText('Both times are needed.').waitFor();
    await wizard.getByLabel('Ends').fill('2099-01-04T11:30');
    await wizard.getByLabel('Repeats').selectOption('Weekly');
    await shot(page, 'filled');
    await wizard.getByRole('button', { name: 'Show the plan' }).click();
    await wizard.getByText('"High mass" can be set up. Nothing was done yet.').waitFor();
    await wizard.getByRole('list', { name: 'Warnings' }).getByText('LinkedIn').first().waitFor();
    const plan = wizard.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    const texts = (await plan.allTextContents()).join(' | ');
    assert.match(texts, /Schedule.*planned.*weekly/u);
    assert.match(texts, /Destination group.*planned/u);
    assert.equal((await service.rest('GET', '/channels')).body.pagination.total, 0);
    await assertAccessible();
    await shot(page, 'plan');
    await page.setViewportSize({ width: 390, height: 800 });
    await assertReflow('the plan');
    await assertAccessible();
    await shot(page, 'plan-390');
    await page.setViewportSize({ width: 1280, height: 800 });

    await wizard.getByRole('button', { name: 'Set up', exact: true }).click();
    await wizard.getByText('"High mass" is set up.').waitFor();
    const [schedule] = (await service.rest('GET', '/schedules')).body.rows;
    assert.deepEqual([schedule.recurrence.type, schedule.start], ['weekly', '2099-01-04T10:00:00.000Z']);
    await wizard
      .getByText(/^rtmp:\/\//u)
      .first()
      .waitFor();
    await wizard.getByRole('button', { name: 'Copy address' }).waitFor();
    await shot(page, 'key');
    await assertAccessible();
    await page.setViewportSize({ width: 390, height: 800 });
    await assertReflow('the outcome');
    await shot(page, 'outcome-390');
    assert.doesNotMatch((await page.textContent('body')) ?? '', /a-key-of-nobody/u);
  });

  it('OBS that is put on air has its address and key at once, and the tile waits for it in place of calling it lost', async (t) => {
    const { open } = await startPageServer(t);
    const { page, go, faults, assertAccessible } = await open({ role: 2, route: 'live-streams' });
    const wizard = page.getByRole('region', { name: 'Put a first broadcast on air' });
    await wizard.getByLabel('Encoder that pushes').selectOption('OBS and others, by RTMP');
    await wizard.getByLabel('Name').fill('Mass');
    await wizard.getByRole('button', { name: 'Put on air' }).click();
    await wizard
      .getByText(/^rtmp:\/\//u)
      .first()
      .waitFor();
    await wizard.getByRole('button', { name: 'Copy server' }).waitFor();
    await wizard.getByText('Waiting for OBS').waitFor();
    await go('on-air', 'On air');
    const tile = page.getByRole('article', { name: 'Mass', exact: true });
    await tile.getByText(/^Warning, on air since .*: waits for its source, which has not come yet/u).waitFor();
    await (await troubleList(page)).getByRole('button', { name: 'Address and key Mass' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sources', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show key' }).waitFor();
    await go('live-streams', 'Live streams');
    await page.keyboard.press('n');
    const another = page.getByRole('region', { name: 'Put a broadcast on air' });
    await until('the first field has focus', () =>
      another.getByLabel('Video file').evaluate((input) => input === document.activeElement),
    );
    await another.getByLabel('Encoder that pushes').selectOption('OBS and others, by RTMP');
    await another.getByLabel('Name').fill('Two platforms');
    await another.getByLabel('Deliver to').selectOption('YouTube');
    await another.getByLabel('Stream key').fill('a-key-of-nobody-0815');
    await another.getByRole('button', { name: 'Deliver to one more' }).click();
    const second = another.getByRole('group', { name: 'Destination 2' });
    await second.getByLabel('Deliver to').selectOption('Twitch');
    await second.getByLabel('Stream key').fill('a-key-of-nobody-0816');
    await another.getByRole('button', { name: 'Show the plan' }).click();
    await another.getByText('"Two platforms" can be set up').waitFor();
    const steps = (await another.getByRole('list', { name: 'Steps' }).textContent()) ?? '';
    assert.match(steps, /YouTube[\s\S]*Twitch/u);
    await assertAccessible();
    assert.deepEqual(faults(), []);
    await another.getByRole('link', { name: 'All settings' }).click();
    await page.getByRole('form', { name: 'New Live stream' }).waitFor();
    assert.equal(await another.count(), 0);
  });

  it('OBS that sends is told in the wizard as it comes, with its picture and sound', async (t) => {
    const { open } = await startPageServer(t);
    const { page, faults, assertAccessible } = await open({ role: 2, route: 'live-streams' });
    const wizard = page.getByRole('region', { name: 'Put a first broadcast on air' });
    await wizard.getByLabel('Encoder that pushes').selectOption('OBS and others, by RTMP');
    await wizard.getByLabel('Name').fill('Vespers');
    await wizard.getByRole('button', { name: 'Put on air' }).click();
    const encoder = wizard.getByRole('region', { name: 'The encoder' });
    await encoder.getByText('Waiting for OBS').waitFor();
    const address =
      (await encoder
        .getByText(/^rtmp:/u)
        .last()
        .textContent()) ?? '';
    const obs = spawn(
      'ffmpeg',
      [
        ...wordsOf('-v error -re -f lavfi -i testsrc2=size=320x180:rate=25 -f lavfi -i sine -c:v libx264'),
        ...wordsOf('-preset ultrafast -g 25 -pix_fmt yuv420p -c:a aac -f flv'),
        address,
      ],
      { stdio: 'ignore' },
    );
    t.after(() => obs.kill('SIGKILL'));
    await encoder.getByText('OBS sends').waitFor();
    await encoder.getByText(/320 × 180p25 · H264 · AAC/u).waitFor();
    await wizard.getByText('"Vespers" is on air.').waitFor();
    await assertAccessible();
    await shot(page, 'obs-sends');
    assert.deepEqual(faults(), []);
  });

  it('an address that nothing comes from is told in the plan, and can be set up all the same', async (t) => {
    const { open } = await startPageServer(t);
    const { page, faults } = await open({ role: 2, route: 'live-streams' });
    const wizard = page.getByRole('region', { name: 'Put a first broadcast on air' });
    await wizard.getByLabel('Address').fill('rtsp://127.0.0.1:9/camera');
    await wizard.getByRole('button', { name: 'Show the plan' }).click();
    await wizard.getByText(/refuses the connection/u).waitFor();
    await wizard.getByText('Quality, recording, time').click();
    await wizard.getByLabel('Start it now').uncheck();
    await wizard.getByRole('button', { name: 'Set up', exact: true }).click();
    await wizard.getByText('"RTSP 127.0.0.1:9" is set up.').waitFor();
    assert.deepEqual(faults(), []);
  });
});
