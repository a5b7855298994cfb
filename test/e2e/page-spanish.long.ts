/** The page in a browser that asks for Spanish: every page, every dialog that a walk opens, and every event, obstacle and alarm by its code. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { ERROR_CODES } from '../../domain/base/errors.ts';
import { START_REFUSALS } from '../../domain/ports/control.ts';
import { EVENT_KINDS } from '../../domain/shapes/installation/event.ts';
import { ALARM_CHECKS } from '../../domain/shapes/installation/finding.ts';
import { problemsEs } from '../../web/i18n/help/problems-es.ts';
import { englishTexts, type EnglishTexts } from '../helpers/english-texts.ts';
import { until } from '../helpers/until.ts';
import type { OpenPage, Role } from './page-fixture.ts';
import { fillScene, openScene, stillScript, type Scene } from './page-pictures-scene.ts';
import { lookAround, shownTexts, walkButtons } from './page-spanish-walk.ts';

const SAID = 'The server says this in its own language, and it is for those who ask.';

describe('the page in Spanish', () => {
  const cleanUps: (() => unknown)[] = [];
  let english: EnglishTexts;
  let scene: Scene;
  before(async () => {
    english = await englishTexts(['Ladder']);
    const opened = await openScene({ after: (task: unknown) => void cleanUps.unshift(task as () => unknown) });
    scene = await fillScene(opened);
  });
  after(async () => {
    for (const task of cleanUps) await task();
  });

  async function open(role: Role, route = 'on-air'): Promise<OpenPage> {
    const script = stillScript(scene.clock);
    const opened = await scene.open({ script, context: { locale: 'es-ES', timezoneId: 'Europe/Zurich' } });
    await signIn(opened.page, role);
    await opened.page.evaluate(`location.hash = '#/${route}'`);
    return opened;
  }

  /** The form is Spanish too, so that the fixture's own does not find it. */
  async function signIn(page: Page, role: Role): Promise<void> {
    await page.getByLabel('Usuario').fill(role === 1 ? 'admin' : 'ana');
    await page.getByLabel('Contraseña').fill('a password of the page tests');
    await page.getByRole('button', { name: 'Iniciar sesión' }).click();
    await page.getByRole('navigation', { name: 'Páginas' }).waitFor();
  }

  const none = (texts: readonly string[], where: string): void => assert.deepEqual(english.among(texts), [], where);

  it('the sign-in, and a refusal of it', async () => {
    const { page } = await scene.open({ context: { locale: 'es-ES' } });
    const button = page.getByRole('button', { name: 'Iniciar sesión' });
    await button.waitFor();
    await page.getByLabel('Usuario').fill('nadie');
    await page.getByLabel('Contraseña').fill('ninguna de las que hay');
    await button.click();
    await page.getByRole('alert').waitFor();
    none(await shownTexts(page), 'sign-in');
    await page.context().close();
  });

  for (const role of [1, 2] as const)
    it(`every page of role ${role}, its tabs, and what its buttons open`, async () => {
      const { page } = await open(role);
      const places = await page
        .locator('nav.rail a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')!));
      assert.equal(places.length, role === 1 ? 18 : 12);
      const found = new Map<string, string>();
      for (const place of [...places, '#/wall', '#/nothing-of-that-name'])
        await walkButtons(page, place, (texts, where) => {
          for (const text of english.among(texts)) if (!found.has(text)) found.set(text, where);
        });
      assert.deepEqual([...found], []);
      await page.context().close();
    });

  /** Answers the calls of a path in place of the server. */
  const answer = (page: Page, path: RegExp, status: number, body: unknown, method?: string): Promise<unknown> =>
    page.route(path, (route: Route) =>
      method === undefined || route.request().method() === method
        ? route.fulfill({
            status,
            contentType: status < 400 ? 'application/json' : 'application/problem+json',
            body: JSON.stringify(body),
          })
        : route.fallback(),
    );

  it('lists that are refused say so', async () => {
    const { page } = await open(1, 'audit');
    const { status, title, remedy } = ERROR_CODES.unavailable;
    const problem = { type: 'about:blank', title, status, detail: SAID, remedy, code: 'unavailable', request_id: 'r' };
    await answer(page, /\/svcapiv2\/(?!feed|security\/me)/u, status, problem, 'GET');
    for (const place of [
      'live-streams',
      'scheduler',
      'recordings',
      'events',
      'devices',
      'assets',
      'storage',
      'system',
    ]) {
      await page.evaluate(`location.hash = '#/${place}'`);
      await page.getByRole('main').getByRole('alert').first().waitFor();
      none(await shownTexts(page), place);
    }
    await page.context().close();
  });

  /** One records on request, and all but one path of another are off. */
  async function prepareActs(): Promise<void> {
    const { app, ids } = scene;
    const runOf = async (name: 'Studio 1' | 'Chapel') => (await app.store.get('runs', ids[name]))!.row;
    const [studio, chapel] = [await runOf('Studio 1'), await runOf('Chapel')];
    await app.store.tx((tx) => tx.put('runs', { ...studio, takes: { count: 1, isOpen: true } }));
    const publishings = app.device.report(chapel.runId).publishings.map((each, place) => {
      const off = { enabled: place === 0, state: place === 0 ? ('up' as const) : ('idle' as const) };
      return {
        ...each,
        primary: { ...each.primary, ...off },
        backup: each.backup && { ...each.backup, ...off, enabled: false },
      };
    });
    app.device.tell(chapel.runId, { publishings });
  }

  it('every dialog of acts, solo with its tabs, what an act says and how one is refused', async () => {
    await prepareActs();
    const { page } = await open(2);
    const dialogs = page.getByRole('dialog');
    const tell = (texts: readonly string[], where: string): void => none(texts, where);
    const tileOf = (name: string) => page.getByRole('article', { name, exact: true });
    const close = async (downTo = 0): Promise<void> => {
      for (let count = await dialogs.count(); count > downTo; count -= 1) {
        await page.keyboard.press('Escape');
        await until('one closed', async () => (await dialogs.count()) < count);
      }
    };
    const opens = async (name: string, ...keys: string[]): Promise<void> => {
      await tileOf(name).focus();
      for (const key of keys) await page.keyboard.press(key);
      await dialogs.last().waitFor();
      await lookAround(page, `${name} ${keys.join(' ')}`, tell);
    };
    await tileOf('Studio 1').waitFor();
    for (const keys of [
      ['Shift+l'],
      ['Shift+t'],
      ['s'],
      ['d'],
      ['r'],
      ['x'],
      ['Shift+a'],
      ['m', 'm'],
      ['?'],
      ['e'],
      ['Enter'],
    ]) {
      await opens('Studio 1', ...keys);
      await close();
    }
    await opens('Chapel', 'd', '1');
    assert.equal(await dialogs.count(), 2, 'the last path is asked about');
    await close();
    await opens('Studio 1', 'Enter');
    // The walk through its tabs ended at the last one.
    await dialogs.first().getByRole('tab').first().click();
    for (const name of [/^Clave nueva CDN/u, /^Mover Studio 1/u, /^Cue out/iu]) {
      await dialogs.first().getByRole('button', { name }).first().click();
      await lookAround(page, String(name), tell);
      await close(1);
    }
    await close();
    await tileOf('Arena 1').focus();
    await page.keyboard.press('b');
    await page.getByRole('button', { name: 'Deshacer' }).waitFor();
    none(await shownTexts(page), 'what an act says');
    const { status, title, remedy } = ERROR_CODES.wrong_state;
    const problem = { type: 'about:blank', title, status, detail: SAID, remedy, code: 'wrong_state', request_id: 'r' };
    await answer(page, /\/runtimeOptions\/blackout$/u, status, problem, 'POST');
    await page.keyboard.press('b');
    await page.getByRole('main').getByText('no ha funcionado').waitFor();
    none(await shownTexts(page), 'a refused act');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Acciones sobre Chapel' }).click();
    await lookAround(page, 'the sheet', tell);
    await page.context().close();
  });

  it('every kind of event, on the page of all and in the log of a Live stream', async () => {
    const livestreamId = scene.ids['Evening news'];
    const at = new Date(scene.clock.now()).toISOString();
    await scene.app.store.tx((tx) => {
      for (const kind of EVENT_KINDS)
        for (const severity of ['info', 'error'] as const)
          tx.insert('events', { at, livestreamId, kind, severity, message: SAID, data: {} });
    });
    const { page } = await open(1, 'events');
    await page.getByRole('table').getByRole('row').nth(8).waitFor();
    none(await shownTexts(page), 'Events');
    await page.evaluate(`location.hash = '#/live-streams/${livestreamId}'`);
    await page.getByRole('tab', { name: 'Sucesos' }).click();
    await page.getByText('El destino falló.').first().waitFor();
    none(await shownTexts(page), 'the log');
    await page.context().close();
  });

  it('every obstacle of a start, and every alarm', async () => {
    const { page } = await open(1, 'live-streams');
    const reasons = [...START_REFUSALS, 'one_of_a_later_version'].map((code) => ({ code, message: SAID }));
    await page.route(/get_start_targets|\/startConfig$/u, async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: Record<string, unknown> };
      await route.fulfill({ response, json: { data: { ...data, startAllowed: false, reasons, message: SAID } } });
    });
    await page.getByRole('button', { name: 'Iniciar Evening news', exact: true }).click();
    await page.getByRole('dialog').getByText(problemsEs.reasons['no_capacity']!).first().waitFor();
    none(await shownTexts(page), 'obstacles');
    await page.unrouteAll();
    const rows = ALARM_CHECKS.flatMap((check) =>
      (['error', 'warning', 'ok'] as const).map((state) => ({
        check,
        state,
        detail: SAID,
        remedy: state === 'ok' ? '' : SAID,
        since: null,
      })),
    );
    const pagination = { page: 1, pageSize: 100, total: rows.length, totalPages: 1 };
    await answer(page, /\/svcapiv2\/system\/alarms/u, 200, { rows, pagination });
    await page.evaluate(`location.hash = '#/system'`);
    await page.getByRole('table', { name: 'Alarmas' }).waitFor();
    none(await shownTexts(page), 'alarms');
    await page.context().close();
  });
});
