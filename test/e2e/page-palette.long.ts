/** The palette and acts that wait for a second press, by keys alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addBroadcast } from '../app/broadcast.ts';
import { until } from '../helpers/until.ts';
import { startMemoryPage } from './page-memory.ts';

describe('acts by the palette', () => {
  it('names each act on a stream on air; Esc or another act takes back one that waits for its second press', async (t) => {
    const { app, open, start } = await startMemoryPage(t);
    const { livestreamId } = await addBroadcast(app, '', 'Studio 1');
    app.device.running(await start(livestreamId));
    const { page, faults } = await open({ role: 2 });
    const tile = page.getByRole('article', { name: 'Studio 1' });
    await until('on air', async () => (await tile.getAttribute('data-state')) !== 'starting');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');

    const byPalette = async (typed: string, option: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Page, stream or act' }).fill(typed);
      await page.getByRole('option', { name: option }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Commands' }).waitFor({ state: 'detached' });
    };
    const cue = page.getByRole('button', { name: 'Cue out Studio 1' });
    await byPalette('cue out', 'Cue out Studio 1');
    await cue.getByText('press again').waitFor();
    await page.keyboard.press('Escape');
    await cue.getByText('press again').waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await cue.getByText('press again').waitFor();
    await byPalette('stop studio', 'Stop Studio 1');
    await page.getByRole('dialog', { name: 'Stop Studio 1?' }).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await cue.getByText('press again').count(), 0);
    assert.deepEqual(faults(), []);
  });
});
