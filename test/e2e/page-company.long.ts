/**
 * An assistant and two people work on one broadcast at once: a real client of MCP, two browsers, the real server and real ffmpeg. Each sees
 * what the others do, who it was and by which API.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { goOnAir, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { endPlayer, twoSources, uploadLogo } from '../helpers/two-sources.ts';
import { until } from '../helpers/until.ts';
import { connectAs, type AnyClient } from '../mcp/clients.ts';
import { startPageServer, type OpenPage, type PageServer } from './page-fixture.ts';

/** A person before the page, and the tile of the broadcast. */
interface Person extends OpenPage {
  name: string;
  tile: Locator;
  /** Who was told to have changed the broadcast, in the order of the tile. */
  company(): Promise<string[]>;
}

describe('an assistant and two people on one broadcast', () => {
  const cleanUps: (() => unknown)[] = [];
  let server: PageServer;
  let show: SmallBroadcast;
  let assistant: AnyClient;
  let ana: Person;
  let admin: Person;
  let pushedId: number;
  let spareId: number;

  before(async () => {
    server = await startPageServer({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
    const { service } = server;
    show = await smallBroadcast(service, [{ name: 'Extra', type: 'HLS / TS', settings: { segment_duration: 2 } }]);
    const [pushed, called] = await twoSources(service);
    for (const { player } of [pushed, called]) cleanUps.unshift(() => endPlayer(player));
    pushedId = pushed.channelId;
    await uploadLogo(service);
    const bound = { channelId: show.channelId, publishingId: show.publishingId };
    const { body } = await service.rest('GET', '/encodings?search=small');
    spareId = await service.create('/livestreams', { name: 'Spare', ...bound, encodingId: body.rows[0].id });
    assistant = await assistantOf(server);
    cleanUps.unshift(() => assistant.close());
    await goOnAir(service, show.livestreamId);
    [ana, admin] = [await person(server, 2, 'ana'), await person(server, 1, 'admin')];
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  const both = (find: (person: Person) => Locator): Locator[] => [ana, admin].map(find);
  const act = async (name: string, args: object): Promise<void> => {
    const answer = await assistant.callTool(name, args);
    assert.notEqual(answer.isError, true, JSON.stringify(answer.content));
  };
  const blackout = (mode: 'Black Frame' | 'Live'): Promise<void> =>
    act('runtimeApplyBlackout', { livestreamId: show.livestreamId, mode });
  const readByAssistant = async (): Promise<Record<string, any>> =>
    (await assistant.callTool('get_livestream_status', { livestream: 'Show' })).structuredContent;

  it('a blackout by the assistant is pressed, in words and with its name before both people, and so is its end', async () => {
    const button = ({ page }: Person): Locator => page.getByRole('button', { name: 'Blackout Show', exact: true });
    await blackout('Black Frame');
    await seen(...both(({ tile }) => tile.getByText('BLACKOUT', { exact: true })));
    await seen(...both(({ tile }) => tile.getByText('by assistant (mcp)')));
    for (const each of both(button)) assert.equal(await each.getAttribute('aria-pressed'), 'true');
    await blackout('Live');
    await gone(...both(({ tile }) => tile.getByText('BLACKOUT', { exact: true })));
    for (const each of both(button)) assert.equal(await each.getAttribute('aria-pressed'), 'false');
  });

  it('a logo, a text and another source by one person are seen by the other and read by the assistant', async () => {
    await press(ana, 'Shift+L');
    const logos = ana.page.getByRole('dialog', { name: 'Logo on Show' });
    await logos.getByRole('radio', { name: 'bug.png' }).check();
    await logos.getByRole('button', { name: 'Show', exact: true }).click();
    await ana.tile.getByText('Logo bug.png').waitFor();
    await seen(admin.tile.getByText('Logo bug.png'), admin.tile.getByText('by ana (ui)'));

    await press(admin, 'Shift+T');
    const text = admin.page.getByRole('dialog', { name: 'Text on Show' });
    await text.getByLabel('Words').fill('Goal');
    await text.getByRole('button', { name: 'Show', exact: true }).click();
    await admin.tile.getByText('Text Goal').waitFor();
    await seen(ana.tile.getByText('Text Goal'), ana.tile.getByText('by admin (ui)'));

    await press(ana, 's');
    const sources = ana.page.getByRole('dialog', { name: 'Switch source of Show' });
    await sources.getByRole('radio', { name: /^RTMP-Push/u }).check();
    await sources.getByRole('button', { name: 'Switch Show' }).click();
    await ana.tile.getByText('RTMP-Push').waitFor();
    await seen(admin.tile.getByText('RTMP-Push'), admin.tile.getByText('by ana (ui)'));

    const { runtime, source } = await readByAssistant();
    assert.deepEqual(
      [runtime.logo.filename, runtime.text, runtime.source, source.channelId],
      ['bug.png', 'Goal', pushedId, pushedId],
    );
  });

  it('a path that the assistant switches off is off before both, and on again by a person', async () => {
    const off = ({ tile }: Person): Locator => tile.getByText('Extra primary: off');
    await act('toggle_destination', { livestream: 'Show', destination: 'Extra', path: 'primary', enabled: false });
    await seen(...both(off), ...both(({ tile }) => tile.getByText('by assistant (mcp)')));
    await press(ana, 'd');
    await ana.page.getByRole('button', { name: 'Extra primary: off' }).click();
    await ana.page.getByRole('button', { name: /^Extra primary: (?!off)/u }).waitFor();
    await ana.page.keyboard.press('Escape');
    await gone(...both(off));
    await seen(admin.tile.getByText('by ana (ui)'));
    await act('setLivestreamText', { livestreamId: show.livestreamId, action: 'hide' });
    await gone(...both(({ tile }) => tile.getByText('Text Goal')));
    const bare = await server.service.rest('POST', `/livestreams/${show.livestreamId}/runtimeOptions/logo`, {
      logo: { filename: '' },
    });
    assert.equal(bare.status, 200);
    await seen(...both(({ tile }) => tile.getByText('by admin (rest)')));
    assert.equal((await readByAssistant()).runtime.logo, null);
  });

  it('each tile has told the acts of the others in their order, and none of its own', async () => {
    assert.deepEqual(await ana.company(), ['assistant (mcp)', 'admin (ui)', 'assistant (mcp)', 'admin (rest)']);
    assert.deepEqual(await admin.company(), [
      'assistant (mcp)',
      'ana (ui)',
      'assistant (mcp)',
      'ana (ui)',
      'assistant (mcp)',
      'admin (rest)',
    ]);
  });

  it('two editors of one form: the second is told of the first, keeps theirs or takes the others', async () => {
    const formOf = async ({ page, go }: Person): Promise<Locator> => {
      await go(`live-streams/${spareId}`, 'Live streams');
      await page.getByRole('button', { name: 'Edit Spare' }).click();
      return page.getByRole('form', { name: 'Edit Spare' });
    };
    const stored = async (): Promise<string> =>
      (await server.service.rest('GET', `/livestreams/${spareId}`)).body.data.description;
    const shown = ({ page }: Person, text: string): Promise<void> =>
      page.getByRole('region', { name: 'Spare', exact: true }).getByText(text).waitFor();
    for (const choice of ['Keep mine', 'Take theirs'] as const) {
      const [first, second] = [await formOf(ana), await formOf(admin)];
      await first.getByLabel('Description').fill(`of ana: ${choice}`);
      await second.getByLabel('Description').fill(`of admin: ${choice}`);
      await first.getByRole('button', { name: 'Save' }).click();
      await first.waitFor({ state: 'detached' });
      await second.getByRole('button', { name: 'Save' }).click();
      const changed = admin.page.getByRole('dialog', { name: 'Changed meanwhile' });
      await changed.getByText('ana has changed Spare').waitFor();
      for (const value of ['ana', 'admin'])
        await changed.getByRole('cell', { name: `of ${value}: ${choice}`, exact: true }).waitFor();
      await changed.getByRole('button', { name: choice }).click();
      if (choice === 'Take theirs') {
        const field = second.getByLabel('Description');
        await until('her value', async () => (await field.inputValue()) === `of ana: ${choice}`);
        await admin.page.keyboard.press('Escape');
      } else await second.waitFor({ state: 'detached' });
      const kept = choice === 'Keep mine' ? `of admin: ${choice}` : `of ana: ${choice}`;
      assert.equal(await stored(), kept);
      for (const each of [ana, admin]) await shown(each, kept);
    }
    const refused = admin.faults().filter((fault) => fault.includes('412'));
    assert.ok(refused.length >= 2, admin.faults().join());
    assert.deepEqual(
      admin.faults().filter((fault) => !fault.includes('412')),
      [],
    );
    assert.deepEqual(ana.faults(), []);
  });

  it('a stop by the assistant takes the tile from both, and both are told who it was', async () => {
    for (const each of [ana, admin]) {
      await each.page.keyboard.press('Escape');
      await each.go('on-air', 'On air');
      await each.tile.waitFor();
    }
    await act('stop_livestream', { livestream: 'Show' });
    await gone(...both(({ tile }) => tile));
    await seen(...both(({ page }) => page.getByText(/Show: .*by assistant \(mcp\)/u)));
    for (const { page } of [ana, admin])
      await page.getByRole('status', { name: 'Summary' }).getByText('0 on air').waitFor();
    assert.equal((await statusOf(server.service, show.livestreamId)).status, 0);
    assert.deepEqual(ana.faults(), []);
  });
});

/** A program with a user and a token of its own. */
async function assistantOf({ service }: PageServer): Promise<AnyClient> {
  const about = { username: 'assistant', email: 'assistant@example.org', first_name: 'An', last_name: 'Assistant' };
  const userId = await service.create('/users', { ...about, user_role: 2 });
  const reply = await service.rest('POST', '/security/tokens', { name: 'assistant', userId });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  const headers = { authorization: `Bearer ${reply.body.data.token as string}` };
  return connectAs('v2 default', { url: `${service.url}/mcp`, headers });
}

async function person(server: PageServer, role: 1 | 2, name: string): Promise<Person> {
  const opened = await server.open({ role, route: 'on-air' });
  const tile = opened.page.getByRole('article', { name: 'Show', exact: true });
  await tile.waitFor();
  await tile.focus();
  await opened.page.getByRole('toolbar', { name: 'Acts on Show' }).waitFor();
  await watchCompany(opened.page);
  return { ...opened, name, tile, company: () => opened.page.evaluate('window.company') };
}

/** A person who looks at the tile all the time: what it has told by turns. */
async function watchCompany(page: Page): Promise<void> {
  await page.evaluate(`{
    window.company = [];
    new MutationObserver(() => {
      const tile = document.querySelector('article[aria-label="Show"]');
      const said = /changed by (\\S+ \\(\\w+\\))/.exec(tile?.textContent ?? '')?.[1];
      if (said !== undefined && said !== window.company.at(-1)) window.company.push(said);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  }`);
}

async function press({ page, tile }: Person, key: string): Promise<void> {
  await tile.focus();
  await page.keyboard.press(key);
}

async function seen(...places: Locator[]): Promise<void> {
  await Promise.all(places.map((place) => place.first().waitFor()));
}

async function gone(...places: Locator[]): Promise<void> {
  await Promise.all(places.map((place) => place.first().waitFor({ state: 'detached' })));
}
