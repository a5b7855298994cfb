/** Every act of the page On air before real encoders: what it does is seen in the picture, heard, or seen by the peer of a Destination. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { goOnAir, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { uploadLogo } from '../helpers/two-sources.ts';
import { until } from '../helpers/until.ts';
import { startPageServer, troubleList, type OpenOptions, type OpenPage, type PageServer } from './page-fixture.ts';

const STREAM_KEY = 'canary-acts-key';
const PRESSES = 20;

describe('the acts on a real broadcast', () => {
  const cleanUps: (() => unknown)[] = [];
  let server: PageServer;
  let rtmp: RtmpServer;
  let show: SmallBroadcast;
  let opened: OpenPage;
  let page: Page;
  let tile: Locator;

  before(async () => {
    server = await startPageServer({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
    rtmp = await startRtmp();
    cleanUps.unshift(() => rtmp.dispose());
    const { service } = server;
    const retry = { max_attempts: 50, initial_delay_ms: 200, max_delay_ms: 500 };
    show = await smallBroadcast(service, [
      { name: 'Platform', type: 'RTMP', settings: { url: rtmp.url, stream_key: STREAM_KEY }, retry },
      { name: 'Guests', type: 'HLS / TS', access: 'token', settings: { segment_duration: 2 } },
      { name: 'Archive', type: 'Record' },
    ]);
    // The one that is heard is for callers with a token alone.
    await service.rest('PUT', `/publishings/${show.publishingId}`, { access: 'token' });
    await uploadLogo(service);
    await goOnAir(service, show.livestreamId);
    await until('published', async () => (await rtmp.publishing()).includes(STREAM_KEY));
    opened = await open();
    ({ page } = opened);
    tile = tileOf(page);
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  const tileOf = (on: Page): Locator => on.getByRole('article', { name: 'Show', exact: true });
  const open = async (options: OpenOptions = {}): Promise<OpenPage> => {
    const made = await server.open({ role: 2, route: 'on-air', ...options });
    await tileOf(made.page).waitFor();
    return made;
  };
  const button = (name: string): Locator =>
    page.getByRole('toolbar', { name: 'Acts on Show' }).getByRole('button', { name, exact: true });
  const press = async (key: string): Promise<void> => {
    await tile.focus();
    await page.keyboard.press(key);
  };
  const status = async (): Promise<Record<string, any>> =>
    (await server.service.rest('GET', `/livestreams/${show.livestreamId}/status`)).body.data;
  const isPressed = async (name: string): Promise<boolean> =>
    (await button(name).getAttribute('aria-pressed')) === 'true';
  /** Mean of red and green, less blue, of the top right corner: the logo is yellow. */
  const yellow = (): Promise<number> =>
    tile.getByRole('img', { name: 'Picture of Show' }).evaluate((element) => {
      const { width, height } = element as HTMLCanvasElement;
      const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
      copy.drawImage(element as HTMLCanvasElement, 0, 0);
      const { data } = copy.getImageData(width * 0.86, height * 0.08, width * 0.06, height * 0.06);
      let sum = 0;
      for (let at = 0; at < data.length; at += 4) sum += (data[at]! + data[at + 1]!) / 2 - data[at + 2]!;
      return sum / (data.length / 4);
    });

  it('a Destination that is switched off is gone at its peer, and there again when it is switched on', async () => {
    await press('d');
    const paths = page.getByRole('dialog', { name: 'Destinations of Show' });
    const platform = paths.getByRole('button', { name: /^Platform primary/u });
    await platform.click();
    await until('gone at the peer', async () => !(await rtmp.publishing()).includes(STREAM_KEY));
    await paths.getByRole('button', { name: 'Platform primary: off' }).waitFor();
    // The toast lies above the dialog, and its button can be pressed there.
    await paths.getByRole('button', { name: 'Undo' }).click();
    await until('back at the peer', async () => (await rtmp.publishing()).includes(STREAM_KEY));
    await paths.getByRole('button', { name: 'Platform primary: up' }).waitFor();
    await page.keyboard.press('Escape');
    await tile.getByText('Platform primary: up').waitFor();
  });

  it('a logo that is chosen is in the picture and with the encoder, and gone from both by L', async () => {
    await press('Shift+L');
    const logos = page.getByRole('dialog', { name: 'Logo on Show' });
    await logos.getByRole('radio', { name: 'No logo' }).waitFor();
    await logos.getByRole('radio', { name: 'bug.png' }).check();
    await logos.getByRole('button', { name: 'Show', exact: true }).click();
    await tile.getByText('Logo bug.png').waitFor();
    assert.equal(await isPressed('Logo Show'), true);
    assert.equal((await status())['runtime'].logo.filename, 'bug.png');
    await until('a yellow corner', async () => (await yellow()) > 150);
    await press('l');
    await tile.getByText('Logo bug.png').waitFor({ state: 'detached' });
    assert.equal((await status())['runtime'].logo, null);
    assert.equal(await isPressed('Logo Show'), false);
  });

  it('a cue wants its key twice, is counted down in solo, and ends by Shift C twice', async () => {
    await press('c');
    await button('Cue out Show').getByText('press again').waitFor();
    await page.keyboard.press('c');
    await page.getByRole('status', { name: 'Changes' }).getByText('Cue out of Show was sent').waitFor();
    await press('Enter');
    const solo = page.getByRole('dialog', { name: 'Solo Show' });
    await solo.getByRole('tab', { name: 'Cues and ads' }).click();
    const seconds = async (): Promise<number> =>
      Number(/ends in 0:(\d\d)\./u.exec((await solo.getByRole('tabpanel').textContent()) ?? '')?.[1]);
    const first = await until('a countdown', async () => (await seconds()) || undefined);
    assert.ok(first > 0 && first <= 30, `${first} s`);
    await until('fewer seconds', async () => (await seconds()) < first);
    await page.keyboard.press('Escape');
    await press('Shift+C');
    await page.keyboard.press('Shift+C');
    await page.getByRole('status', { name: 'Changes' }).getByText('Cue in of Show was sent').waitFor();
    await press('Enter');
    await solo.getByRole('tab', { name: 'Cues and ads' }).click();
    await solo.getByText('No break is open.').waitFor();
    await page.keyboard.press('Escape');
    const { body } = await server.service.rest('GET', `/livestreams/${show.livestreamId}/events?pageSize=100`);
    assert.match(JSON.stringify(body.rows), /CueOut|cue/iu);
  });

  it('M marks the beginning and the end, and the clip between them is cut', async () => {
    await press('m');
    await tile.getByText(/^\s*IN \d\d:\d\d:\d\d/u).waitFor();
    await button('Mark out Show').waitFor();
    // The clip has to have a length.
    await page.waitForTimeout(3_000);
    await press('m');
    const dialog = page.getByRole('dialog', { name: 'Clip of Show' });
    await until('times', async () => (await dialog.getByLabel('In', { exact: true }).inputValue()) !== '');
    await dialog.getByLabel('Clip name').fill('goal');
    // The end of the clip has to be in the file, which is behind by some seconds.
    await page.waitForTimeout(6_000);
    await dialog.getByRole('button', { name: 'Cut' }).click();
    const isCut = (): Promise<boolean> => dialog.isVisible().then((isOpen) => !isOpen);
    await until(
      'the clip',
      async () => (await isCut()) || (assert.deepEqual(await dialog.getByRole('alert').allTextContents(), []), false),
    );
    const { body } = await server.service.rest('GET', '/assets?fileType=clips');
    assert.match(JSON.stringify(body.rows), /goal\.mp4/u);
  });

  it('R begins a recording of its own beside that of a Record Destination, and asks before it ends it', async () => {
    const record = button('Record Show');
    assert.notEqual((await status())['recordingId'], null);
    assert.equal(await record.getAttribute('aria-pressed'), 'false');
    await press('r');
    await until('recorded', async () => (await record.getAttribute('aria-pressed')) === 'true');
    assert.equal((await status())['recording_on_request'], true);
    await press('r');
    const dialog = page.getByRole('dialog', { name: 'End the recording of Show?' });
    await dialog.getByRole('button', { name: 'End the recording of Show' }).click();
    await until('ended', async () => (await record.getAttribute('aria-pressed')) === 'false');
    assert.notEqual((await status())['recordingId'], null, 'the Destination goes on');
  });

  it('a window that was held up says so, and is live again by itself', async () => {
    const modes = await page.evaluate(async () => {
      const { documentElement: root } = document;
      const seen: boolean[] = [];
      const observer = new MutationObserver(() => seen.push('stale' in root.dataset));
      observer.observe(root, { attributes: true, attributeFilter: ['data-stale'] });
      const from = performance.now();
      while (performance.now() - from < 6000);
      const isLive = (): boolean => !('stale' in root.dataset);
      for (let turn = 0; turn < 100 && !(seen.length > 0 && isLive()); turn += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      observer.disconnect();
      return { seen, isLive: isLive() };
    });
    assert.deepEqual(modes, { seen: [true, false], isLive: true });
    await page.getByRole('status', { name: 'Connection' }).getByText('Live', { exact: true }).waitFor();
  });

  it('a Destination for callers with a token alone is heard, and its delay is told', async (t) => {
    await press('Space');
    const solo = page.getByRole('dialog', { name: 'Solo Show' });
    const delay = solo.getByRole('status').filter({ hasText: 's behind' });
    await delay.waitFor();
    t.diagnostic((await delay.textContent()) ?? '');
    const played = async (): Promise<number> =>
      Number(await page.evaluate('document.querySelector("audio").currentTime'));
    const first = await played();
    await until('sound goes on', async () => (await played()) > first + 1);
    await solo.getByRole('button', { name: 'Listen Show' }).click();
    await page.waitForFunction('document.querySelector("audio") === null');
    await page.keyboard.press('Escape');
    assert.deepEqual(opened.faults(), []);
  });

  it('A acknowledges a fault, which the tone tells of again and again where it was chosen', async () => {
    await page.getByRole('button', { name: 'Account ana' }).click();
    await page.evaluate(`{
      window.tones = 0;
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (...of) { window.tones += 1; return start.apply(this, of); };
    }`);
    await page.getByRole('checkbox', { name: 'Tone at a fault' }).check();
    await until('a tone to try', async () => Number(await page.evaluate('window.tones')) === 2);
    await page.keyboard.press('Escape');
    await rtmp.crash();
    const row = (await troubleList(page)).getByRole('listitem').filter({ hasText: 'Platform' });
    await row.first().waitFor();
    await until('a fault', async () => (await tile.getAttribute('data-state')) === 'failing');
    await until('the tone, and again', async () => Number(await page.evaluate('window.tones')) >= 6);
    await press('a');
    await row.getByText('acknowledged by ana').first().waitFor();
    await rtmp.start();
    await until('back at the peer', async () => (await rtmp.publishing()).includes(STREAM_KEY));
    await row.getByText('healed at').first().waitFor();
  });

  it('B is busy first and then in force, 20 times', async () => {
    await tile.focus();
    await page.evaluate(WATCH_PRESSES);
    for (let number = 1; number <= PRESSES; number += 1) {
      await press('b');
      await until(`press ${number}`, async () => Number(await page.evaluate('window.presses.length')) === number);
    }
    const orders = (await page.evaluate('window.presses')) as string[];
    assert.deepEqual(
      orders,
      Array.from({ length: PRESSES }, () => 'busy, in force'),
    );
    assert.equal(await isPressed('Blackout Show'), false);
  });

  it('the wall shows the tile without acts, to both roles', async () => {
    for (const role of [1, 2] as const) {
      const { page: wall, faults } = await server.open({ role, route: 'wall' });
      await tileOf(wall).waitFor();
      await tileOf(wall).focus();
      await wall.keyboard.press('b');
      assert.equal(await wall.getByRole('toolbar').count(), 0);
      assert.equal(await wall.getByRole('button', { name: /Show/u }).count(), 0);
      assert.equal((await status())['runtime'].blackout, 'Live');
      assert.deepEqual(faults(), []);
      await wall.context().close();
    }
  });

  it('on a phone Next is a tab beside the tiles, and acts are in a sheet with their Undo above it', async () => {
    const phone = await open({ width: 390, height: 844 });
    await phone.page.getByRole('complementary', { name: 'Next' }).waitFor();
    await phone.page.getByRole('tab', { name: 'Next' }).click();
    await tileOf(phone.page).waitFor({ state: 'detached' });
    await phone.page.getByRole('complementary', { name: 'Next' }).waitFor();
    await phone.page.getByRole('tab', { name: 'On air' }).click();
    await phone.page.getByRole('button', { name: 'Acts on Show' }).click();
    const sheet = phone.page.getByRole('dialog', { name: 'Acts on Show' });
    await sheet.getByRole('button', { name: 'Blackout Show' }).click();
    await sheet.getByRole('button', { name: 'Undo' }).click();
    await until('live', async () => (await status())['runtime'].blackout === 'Live');
    await phone.assertAccessible();
    await phone.assertReflow();
    assert.deepEqual(phone.faults(), []);
    await phone.page.context().close();
  });

  it('stopping tells what ends: its Destinations and the Recording', async () => {
    await press('x');
    const dialog = page.getByRole('dialog', { name: 'Stop Show?' });
    const text = await dialog.evaluate(
      (element) => document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent ?? '',
    );
    assert.match(text, /4 Destinations end\. The Recording closes\./u);
    await page.keyboard.press('Escape');
    assert.equal((await statusOf(server.service, show.livestreamId)).status, 2, 'Esc stops nothing');
  });
});

/** The effect of each press of B on its button, in order: aria-busy, and the other aria-pressed. */
const WATCH_PRESSES = `{
  window.presses = [];
  let pressed;
  const blackout = () => document.querySelector('[role=toolbar] button[aria-keyshortcuts=b], [role=toolbar] button[aria-keyshortcuts=B]');
  addEventListener('keydown', ({ key }) => {
    if (key === 'b') pressed = { was: blackout().getAttribute('aria-pressed'), order: [] };
  }, true);
  new MutationObserver(() => {
    const button = blackout();
    if (pressed === undefined || button === null) return;
    const isBusy = button.getAttribute('aria-busy') === 'true';
    const isInForce = button.getAttribute('aria-pressed') !== pressed.was;
    if (isBusy && !pressed.order.includes('busy')) pressed.order.push('busy');
    if (isInForce && !pressed.order.includes('in force')) pressed.order.push('in force');
    if (!isInForce || isBusy) return;
    window.presses.push(pressed.order.join(', '));
    pressed = undefined;
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
}`;

describe('the acts on a server that is read-only', () => {
  it('are absent for both roles, and a banner says why', async (t) => {
    const server = await startPageServer(t);
    // The people of the test are made before nothing can be made any more.
    server.service.env['TOOL_PROFILE'] = 'readonly';
    await server.service.restart();
    for (const role of [1, 2] as const) {
      const { page, faults } = await server.open({ role, route: 'on-air' });
      await page.getByText('This server is read-only: nothing can be changed here.').waitFor();
      assert.equal(await page.getByRole('toolbar').count(), 0);
      assert.equal(await page.getByRole('button', { name: 'Put on air' }).count(), 0);
      assert.deepEqual(faults(), []);
      await page.context().close();
    }
  });
});
