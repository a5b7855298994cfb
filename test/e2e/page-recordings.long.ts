/** The Recordings page in Chromium: what is written, played, marked, cut, downloaded, sent and deleted, with real media, which is in a bucket once it is finished. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { goOnAir, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { mediaBucket } from '../helpers/fleet.ts';
import { startS3 } from '../helpers/servers/s3.ts';
import { makeClip } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { startPageServer, type PageServer } from './page-fixture.ts';

const SECRET = 'canary-Recordings';

interface Row {
  id: number;
  name: string;
  status: string;
  duration_seconds: number;
  container: string;
  bucket_bytes: number;
}

describe('the Recordings page', () => {
  let server: PageServer;
  let show: SmallBroadcast;
  let recording: Row;
  const cleanUps: (() => unknown)[] = [];

  const rows = async (): Promise<Row[]> => (await server.service.rest('GET', '/recordings?fields=*&sort=id')).body.rows;
  const rowOf = async (container: string): Promise<Row | undefined> =>
    (await rows()).find((row) => row.container === container);
  const clipNames = async (): Promise<string[]> =>
    (await server.service.rest('GET', '/assets?fileType=clips')).body.rows.map(
      ({ filename }: { filename: string }) => filename,
    );

  before(async () => {
    const owner = { after: (task: unknown) => void cleanUps.unshift(task as () => unknown) };
    server = await startPageServer(owner, await mediaBucket(owner));
    show = await smallBroadcast(server.service, [
      { name: 'Archive', type: 'Record' },
      { name: 'Stream file', type: 'Record', settings: { container: 'ts' } },
    ]);
    await goOnAir(server.service, show.livestreamId);
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  const videoState = (page: Page): Promise<{ at: number; error: string | undefined; isFocused: boolean }> =>
    page.evaluate(() => {
      const video = document.querySelector('video')!;
      return { at: video.currentTime, error: video.error?.message, isFocused: document.activeElement === video };
    });

  it('one that is still written says so, is not asked for its media, and gives a clip of its last seconds', async () => {
    recording = await until('some seconds', async () => {
      const row = await rowOf('mp4');
      return row !== undefined && row.duration_seconds > 8 && row;
    });
    const { page, faults, assertAccessible } = await server.open({ role: 2, route: 'recordings' });
    const table = page.getByRole('table', { name: 'Recordings' });
    await table.getByRole('rowheader', { name: recording.name }).waitFor();
    assert.equal(await table.getByText('still recording').count(), 2);
    await table.getByRole('button', { name: `Open ${recording.name}` }).click();
    await page.getByText('still recording').waitFor();
    assert.equal(await page.locator('video').count(), 0);
    await page.getByRole('button', { name: 'Last 15 s' }).click();
    assert.equal(await page.getByLabel('In', { exact: true }).inputValue(), '0:00:00.00');
    await page.getByLabel('Clip name').fill('while on air');
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
    const clips = page.getByRole('list', { name: 'Clips' });
    await clips.getByRole('link', { name: 'Download while on air.mp4' }).waitFor();
    assert.deepEqual(await clipNames(), ['while on air.mp4']);
    await assertAccessible();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('it is played, marked, cut and left by keys alone once the broadcast has ended', async (t) => {
    const { service } = server;
    const cue = { type: 'CueOut', metadata: { duration: 30 } };
    await service.rest('POST', `/livestreams/${show.livestreamId}/runtimeOptions/metadata`, cue);
    const opened = await server.open({ role: 2, route: `recordings/${recording.id}` });
    const { page, faults, assertAccessible } = opened;
    await page.getByText('still recording').waitFor();
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('off air', async () => (await statusOf(service, show.livestreamId)).status === 0);
    const player = page.locator('video[aria-label=Player]');
    await player.waitFor();
    await until('it is in the bucket, from which it is played', async () => (await rowOf('mp4'))!.bucket_bytes > 0);
    await until('the media is there', async () => (await player.getAttribute('src')) !== null);
    assert.equal(new URL((await player.getAttribute('src'))!).origin, new URL(service.url).origin);
    await until('focus in the picture', async () => (await videoState(page)).isFocused);
    await page.keyboard.press('l');
    await until('the picture moves', async () => {
      const { at, error } = await videoState(page);
      assert.equal(error, undefined);
      return at > 1;
    });
    await page.keyboard.press('k');
    t.diagnostic(`played with H.264 and AAC: ${JSON.stringify(await videoState(page))}`);

    await page.keyboard.press('g');
    await page.keyboard.type('0:00:02');
    await page.keyboard.press('Enter');
    await until('two seconds', async () => (await videoState(page)).at === 2);
    await page.keyboard.press('i');
    for (let second = 0; second < 3; second += 1) await page.keyboard.press('ArrowRight');
    await until('five seconds', async () => (await videoState(page)).at === 5);
    await page.keyboard.press('o');
    assert.equal(await page.getByLabel('In', { exact: true }).inputValue(), '0:00:02.00');
    assert.equal(await page.getByLabel('Out', { exact: true }).inputValue(), '0:00:05.00');
    await page.keyboard.press('.');
    await until('one frame on', async () => (await videoState(page)).at > 5);
    assert.ok((await videoState(page)).at < 5.1);

    await page.keyboard.press('Enter');
    const item = page.getByRole('list', { name: 'Clips' }).getByRole('listitem').filter({ hasText: '0:00:02.00' });
    await item.getByRole('link', { name: /^Download / }).waitFor();
    const name = (await clipNames()).find((each) => each.startsWith('Show '))!;
    assert.ok(name !== undefined);
    assert.ok(Math.abs((await lengthOf(name)) - 3) < 0.15, `${await lengthOf(name)} s`);
    assert.equal(await page.getByLabel('In', { exact: true }).inputValue(), '');
    await assertAccessible();
    assert.deepEqual(faults(), []);
    await page.keyboard.press('Escape');
    await page.getByRole('table', { name: 'Recordings' }).waitFor();
    await page.context().close();
  });

  async function lengthOf(clip: string): Promise<number> {
    const path = `/svcapiv2/assets/${encodeURIComponent(clip)}?fileType=clips`;
    const { env, url, scratch } = server.service;
    const authorization = `Bearer ${env['ONAIR_BOOTSTRAP_TOKEN']}`;
    const file = join(scratch, 'clip.mp4');
    writeFileSync(file, Buffer.from(await (await fetch(url + path, { headers: { authorization } })).arrayBuffer()));
    return secondsOf(file);
  }

  function secondsOf(file: string): number {
    const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file];
    return Number(execFileSync('ffprobe', args, { encoding: 'utf8' }));
  }

  it('what happened during the run can be chosen, and fields that are not right say why', async () => {
    const { page, faults } = await server.open({ role: 2, route: `recordings/${recording.id}` });
    const event = page.getByRole('list', { name: 'Events' }).getByRole('listitem').filter({ hasText: 'Cue' });
    await event.getByRole('button').click();
    const at = await page.getByRole('timer', { name: 'Position' }).textContent();
    assert.equal(at, await event.getByRole('button').textContent());

    const [begin, end] = [page.getByLabel('In', { exact: true }), page.getByLabel('Out', { exact: true })];
    await begin.fill('4');
    await end.fill('0:00:03.50');
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
    assert.match((await end.getAttribute('aria-describedby')) ?? '', /error/u);
    await page.getByText('Out must be after In.').waitFor();
    await until('focus in Out', () => end.evaluate((element) => element === document.activeElement));
    await end.fill('0:00:05.50');
    await page.getByLabel('Clip name').fill('goal');
    await page.getByLabel('Way').selectOption('keyframe');
    await page.getByLabel('Quality').selectOption({ index: 2 });
    await page.getByLabel('Clip name').press('Enter');
    const link = page.getByRole('link', { name: 'Download goal.mp4' });
    await link.waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.equal(download.suggestedFilename(), 'goal.mp4');
    const seconds = secondsOf(await download.path());
    assert.ok(seconds > 1.4 && seconds < 2.6, `${seconds} s, from the keyframe before`);
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('the whole Recording is downloaded, and a link for others plays without a session, in ranges, until its end', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 2, route: `recordings/${recording.id}` });
    const button = page.getByRole('button', { name: 'Download', exact: true });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    const { duration_seconds } = (await rowOf('mp4'))!;
    assert.ok(Math.abs(secondsOf(await download.path()) - duration_seconds) < 0.1);
    await page.getByRole('button', { name: 'Create link' }).click();
    const dialog = page.getByRole('dialog', { name: `Link to ${recording.name}` });
    await dialog.getByLabel('Valid for').selectOption('4');
    const request = page.waitForRequest((each) => each.method() === 'POST' && each.url().includes('/recordings/'));
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const url = (await dialog.getByText('/svcapiv2/recordings/').textContent())!;
    await assertAccessible();
    const reply = await fetch(url, { headers: { range: 'bytes=0-99' } });
    assert.deepEqual([reply.status, (await reply.arrayBuffer()).byteLength], [206, 100]);
    assert.equal((await request).postDataJSON().expires_in, 4 * 3600);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('several pieces are put in order, one is taken out again, and the rest becomes one clip', async () => {
    const { page, faults, assertAccessible } = await server.open({ role: 2, route: `recordings/${recording.id}` });
    await page.locator('video[aria-label=Player]').waitFor();
    const add = async (begin: string, out: string): Promise<void> => {
      await page.getByLabel('In', { exact: true }).fill(begin);
      await page.getByLabel('Out', { exact: true }).fill(out);
      await page.getByRole('button', { name: 'Add piece' }).click();
    };
    await add('1', '2');
    await add('4', '6');
    await add('0', '0.5');
    const pieces = page.getByRole('list', { name: 'Pieces of the clip' }).getByRole('listitem');
    await page.getByRole('button', { name: 'Move 0:00:04.00 – 0:00:06.00 one place up' }).click();
    await page.getByRole('button', { name: 'Take 0:00:00.00 – 0:00:00.50 out' }).click();
    assert.deepEqual(
      (await pieces.allTextContents()).map((text) => /^[\d:.]+/u.exec(text)?.[0]),
      ['0:00:04.00', '0:00:01.00'],
    );
    await assertAccessible();
    await page.getByLabel('Clip name').fill('two pieces');
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
    const item = page.getByRole('list', { name: 'Clips' }).getByRole('listitem').filter({ hasText: 'two pieces.mp4' });
    await item.getByRole('link', { name: /^Download / }).waitFor();
    await item.getByText('0:00:04.00 – 0:00:06.00, 0:00:01.00 – 0:00:02.00').waitFor();
    assert.equal(await pieces.count(), 0);
    assert.ok(Math.abs((await lengthOf('two pieces.mp4')) - 3) < 0.15, `${await lengthOf('two pieces.mp4')} s`);
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('a clip is sent by an Administrator who chooses from the list, and by an operator who was told the number', async () => {
    const s3 = await startS3('AKIATEST', SECRET);
    cleanUps.push(() => s3.stop());
    const endpoint = `http://127.0.0.1:${s3.port}`;
    const settings = { type: 'S3', endpoint, bucket: 'clips', access_key: 'AKIATEST', secret_key: SECRET };
    const folderId = await server.service.create('/targetfolders', { name: 'Newsroom', ...settings });
    for (const role of [1, 2] as const) {
      const { page, faults, assertAccessible } = await server.open({ role, route: `recordings/${recording.id}` });
      await page.getByRole('button', { name: 'Export goal.mp4' }).click();
      const dialog = page.getByRole('dialog', { name: 'Export goal.mp4' });
      const field = dialog.getByLabel(role === 1 ? 'Target Folder' : 'Target Folder number');
      await field.waitFor();
      await dialog.getByRole('button', { name: 'Export', exact: true }).click();
      await dialog.getByText('Choose a Target Folder.').waitFor();
      await assertAccessible();
      if (role === 1) await field.selectOption({ label: `Newsroom (${folderId})` });
      else await field.fill(String(folderId));
      await dialog.getByLabel('Name there', { exact: true }).fill(`by ${role}.mp4`);
      await dialog.getByRole('button', { name: 'Export', exact: true }).click();
      await page
        .getByText(new RegExp(`^goal\\.mp4 is at .*clips.*by.*${role}\\.mp4$`, 'u'))
        .first()
        .waitFor();
      assert.equal(await page.getByRole('dialog').count(), 0);
      assert.deepEqual(faults(), []);
      await page.context().close();
    }
  });

  it('a transport stream has no Player: it is downloaded, and clips are cut by number while one looks elsewhere', async () => {
    const file = (await rowOf('ts'))!;
    const { page, faults, go } = await server.open({ role: 2, route: `recordings/${file.id}` });
    await page.getByText('A TS file plays in no browser.').waitFor();
    assert.equal(await page.locator('video').count(), 0);
    await page.getByLabel('In', { exact: true }).fill('1');
    await page.getByLabel('Out', { exact: true }).fill('2');
    await page.getByLabel('Clip name').fill('from ts');
    await page.getByRole('button', { name: 'Cut', exact: true }).click();
    await go('assets', 'Assets');
    await go(`recordings/${file.id}`, 'Recordings');
    await page.getByRole('link', { name: 'Download from ts.mp4' }).waitFor();
    const button = page.getByRole('button', { name: 'Download', exact: true });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    assert.match(download.suggestedFilename(), /\.ts$/u);
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('the list is filtered by name, Live stream and day, and sorted, by the server', async () => {
    const { page, faults } = await server.open({ role: 2, route: 'recordings' });
    const table = page.getByRole('table', { name: 'Recordings' });
    const headers = table.getByRole('rowheader');
    await headers.first().waitFor();
    assert.equal(await headers.count(), 2);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('Stream file');
    await until('one row', async () => (await headers.count()) === 1);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('');
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No Recording matches.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByRole('combobox', { name: 'Live stream' }).click();
    await page.getByRole('option', { name: 'Show', exact: true }).click();
    await until('both rows', async () => (await headers.count()) === 2);
    await table.getByRole('button', { name: 'Name' }).click();
    await until('sorted', async () => (await headers.first().textContent()) === recording.name);
    await page.getByRole('searchbox', { name: 'Filter' }).press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: recording.name }).waitFor();
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  for (const width of [1280, 375])
    for (const theme of ['dark', 'light'] as const)
      it(`at ${width} px in the ${theme} theme list and opened Recording have no violation and scroll one way`, async () => {
        const opened = await server.open({ role: 2, width, theme, route: 'recordings' });
        const { page, faults, assertAccessible, assertReflow } = opened;
        await page.getByRole('table', { name: 'Recordings' }).waitFor();
        await assertReflow();
        await assertAccessible();
        await opened.go(`recordings/${recording.id}`, 'Recordings');
        await page.getByRole('link', { name: 'Download goal.mp4' }).waitFor();
        await assertReflow();
        await assertAccessible();
        assert.deepEqual(faults(), []);
        await page.context().close();
      });

  it('deleting names the clips that stay, begins at Cancel, and ends in the list', async () => {
    const { page, faults } = await server.open({ role: 2, route: `recordings/${recording.id}` });
    await page.getByRole('link', { name: 'Download goal.mp4' }).waitFor();
    const act = page.getByRole('button', { name: `Delete ${recording.name}` });
    await act.click();
    const dialog = page.getByRole('dialog', { name: `Delete ${recording.name}?` });
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    assert.ok(await cancel.evaluate((element) => element === document.activeElement));
    await dialog.getByText(/These clips stay: .*goal\.mp4/u).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await act.click();
    await dialog.getByRole('button', { name: `Delete ${recording.name}` }).click();
    const table = page.getByRole('table', { name: 'Recordings' });
    await table.waitFor();
    await until('one row', async () => (await table.getByRole('rowheader').count()) === 1);
    assert.equal((await server.service.rest('GET', `/recordings/${recording.id}`)).status, 404);
    assert.ok((await clipNames()).includes('goal.mp4'));
    assert.deepEqual(faults(), []);
    await page.context().close();
  });

  it('one that stays in several files is one time line, says why, and has a download for each', async () => {
    const { service } = server;
    await goOnAir(service, show.livestreamId);
    const written = await until('some seconds', async () => {
      const { body } = await service.rest('GET', '/recordings?status=recording');
      const row = body.rows.find(({ container }: Row) => container === 'mp4') as Row | undefined;
      return row !== undefined && row.duration_seconds > 4 && row;
    });
    // A part of another size, as one is left by a run whose encoder was set up anew.
    const folder = join(service.dataDir, 'device', 'recordings', String(show.livestreamId));
    const part = readdirSync(folder).find((name) => name.endsWith('-1.mp4'))!;
    const clip = makeClip(join(service.scratch, 'part.mp4'), 5);
    const fragments = ['-c', 'copy', '-movflags', '+frag_keyframe+empty_moov+default_base_moof'];
    const other = join(folder, part.replace('-1.mp4', '-2.mp4'));
    execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-i', clip, ...fragments, other]);
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    const done = await until('finished', async () => {
      const { data } = (await service.rest('GET', `/recordings/${written.id}`)).body;
      return data.status === 'finished' && data;
    });
    assert.equal(done.files, 2, JSON.stringify(done));
    const { page, faults } = await server.open({ role: 2, route: `recordings/${written.id}` });
    await page.getByText('so its parts stay as they are').waitFor();
    const player = page.locator('video[aria-label=Player]');
    await until('the first part', async () => /file\/1\?/u.test((await player.getAttribute('src')) ?? ''));
    const first = await until('its length', () =>
      player.evaluate((video: HTMLVideoElement) => video.duration || false),
    );
    await player.focus();
    await page.keyboard.press('End');
    await until('the second part', async () => /file\/2\?/u.test((await player.getAttribute('src')) ?? ''));
    await until('its end', async () => (await videoState(page)).at > 4.5);
    const place = (await page.getByRole('timer', { name: 'Position' }).textContent())!;
    assert.ok(Math.abs(Number(place.split(':')[2]) - first - 5) < 0.5, `${place} with a first part of ${first} s`);
    const button = page.getByRole('button', { name: 'Download Part 2 of 2' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    assert.match(download.suggestedFilename(), / part 2\.mp4$/u);
    assert.ok(Math.abs(secondsOf(await download.path()) - 5) < 0.2);
    assert.deepEqual(faults(), []);
    await page.context().close();
  });
});
