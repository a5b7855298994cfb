/** The drill: a backup is taken while a broadcast is on air, and restored elsewhere. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { goOnAir, mediaPlaylist, smallBroadcast, statusOf, type SmallBroadcast } from '../helpers/broadcast.ts';
import { pidsOf, PROGRAM, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import type { StoreDocument } from '../../domain/ports/store.ts';

const PASSPHRASE = 'night train to the coast';

interface Ended {
  code: number | null;
  output: string;
}

/** Beside the event loop: a connection to a server that is closed meanwhile is not used again. */
function onair(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...words], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

describe('a backup of a server with a broadcast on air', () => {
  let service: Service;
  let show: SmallBroadcast;
  let folder: string;
  let file: string;
  let scheduleId: number;
  let actionId: number;
  let env: NodeJS.ProcessEnv;
  const started: Service[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'onair-backup-'));
    file = join(folder, 'a.onair');
    service = await startService();
    env = { ...service.env, ONAIR_BACKUP_PASSPHRASE: PASSPHRASE };
    show = await smallBroadcast(service, [{ name: 'tape', type: 'Record', settings: { container: 'mp4' } }]);
    const inAnHour = Date.now() + 3_600_000;
    const livestreamId = await service.create('/livestreams', {
      name: 'Later',
      channelId: show.channelId,
      encodingId: 1,
      publishingId: show.publishingId,
    });
    scheduleId = await service.create('/schedules', {
      name: 'Daily',
      livestreamId,
      start: new Date(inAnHour).toISOString(),
      end: new Date(inAnHour + 3_600_000).toISOString(),
      recurrence: { type: 'daily' },
    });
    actionId = await service.create(`/livestreams/${livestreamId}/actions`, {
      type: 'start',
      payload: {},
      execute_at: new Date(inAnHour).toISOString(),
    });
    await goOnAir(service, show.livestreamId);
  });
  after(async () => {
    for (const each of [service, ...started]) await each.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The rows of a data folder that no server uses, by collection; of firings and events only what a server has not added since. */
  async function rowsOf(data: string): Promise<Record<string, unknown[]>> {
    const path = join(folder, `${Math.random()}.json`);
    const { code, output } = await onair(['export', path], { ...env, ONAIR_DATA: data });
    assert.equal(code, 0, output);
    return (JSON.parse(readFileSync(path, 'utf8')) as StoreDocument).collections as Record<string, unknown[]>;
  }

  async function restoredTo(name: string, ...words: string[]): Promise<string> {
    const data = join(folder, name);
    const { code, output } = await onair(['restore', file, ...words], { ...env, ONAIR_DATA: data });
    assert.equal(code, 0, output);
    return data;
  }

  it('the broadcast stays on air without a gap, by the same processes; the file is for its owner alone, and no other is replaced', async () => {
    const runner = pidsOf(service.scratch, /onair\S* runner/u);
    const first = await mediaPlaylist(await show.playlist());
    const { code, output } = await onair(['backup', file], env);
    assert.equal(code, 0, output);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(!readFileSync(file).includes('Show'));
    const again = await onair(['backup', file], env);
    assert.notEqual(again.code, 0);
    assert.match(again.output, /exists already/u);
    const later = await until('more segments', async () => {
      const now = await mediaPlaylist(await show.playlist());
      return now.mediaSequence + now.segments.length >= first.mediaSequence + first.segments.length + 2 && now;
    });
    assert.equal(later.discontinuities, first.discontinuities);
    assert.deepEqual(pidsOf(service.scratch, /onair\S* runner/u), runner);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
  });

  it('what is restored elsewhere is the same row by row, but that it is off and paused; Assets are in, Recordings are not', async () => {
    const there = await rowsOf(await restoredTo('all', '--resume'));
    const restored = await restoredTo('quiet');
    const here = await rowsOf(restored);
    const differing = Object.keys(there).filter((name) => JSON.stringify(there[name]) !== JSON.stringify(here[name]));
    assert.deepEqual(differing.sort(), ['eras', 'plannedActions', 'runs', 'schedules']);
    const fieldsThatDiffer = (name: string): string[] =>
      there[name]!.flatMap((entry, at) => {
        const [one, other] = [entry, here[name]![at]].map((each) => (each as { row: Record<string, unknown> }).row);
        return Object.keys({ ...one, ...other }).filter(
          (field) => JSON.stringify(one![field]) !== JSON.stringify(other![field]),
        );
      });
    assert.deepEqual(fieldsThatDiffer('schedules'), ['enabled']);
    assert.deepEqual(fieldsThatDiffer('plannedActions'), ['status']);
    const asset = 'assets/files/clip.mp4';
    assert.deepEqual(readFileSync(join(restored, asset)), readFileSync(join(service.dataDir, asset)));
    assert.deepEqual(readdirSync(restored).sort(), ['assets', 'store']);
    assert.ok(there['recordings']!.length > 0);
  });

  it('a server on it answers with the same rows and tokens, and puts nothing on air; with --resume the broadcast goes on air again', async () => {
    const quiet = await startService({ ONAIR_DATA: join(folder, 'quiet') });
    started.push(quiet);
    const resumed = await startService({ ONAIR_DATA: join(folder, 'all') });
    started.push(resumed);
    await until('on air again', async () => (await statusOf(resumed, show.livestreamId)).status === 2);
    assert.equal((await statusOf(quiet, show.livestreamId)).status, 0);
    for (const path of [
      '/channels/1',
      '/encodings/1',
      `/publishings/${show.publishingId}`,
      `/livestreams/${show.livestreamId}`,
    ]) {
      const [one, other] = [await service.rest('GET', path), await quiet.rest('GET', path)];
      assert.equal(one.status, 200);
      const { status: _on, started_at: _then, ...there } = one.body.data as Record<string, unknown>;
      const { status: _off, started_at: _none, ...here } = other.body.data as Record<string, unknown>;
      assert.deepEqual(here, there, path);
    }
    const schedule = await quiet.rest('GET', `/schedules/${scheduleId}`);
    assert.equal(schedule.body.data.enabled, false);
    assert.equal((await resumed.rest('GET', `/schedules/${scheduleId}`)).body.data.enabled, true);
    const actions = await quiet.rest('GET', `/livestreams/2/actions`);
    const action = (actions.body.rows as { id: number; status: string }[]).find(({ id }) => id === actionId);
    assert.equal(action?.status, 'disabled');
    assert.deepEqual(pidsOf(join(folder, 'quiet'), /onair\S* runner/u), []);
  });

  it('a restore refuses a folder that is filled, a wrong passphrase, and a file that is cut short, and leaves nothing behind', async () => {
    const filled = await onair(['restore', file], env);
    assert.notEqual(filled.code, 0);
    assert.match(filled.output, /is in use by a server that runs/u);
    const other = join(folder, 'other');
    const refusedWith = async (path: string, text: RegExp, passphrase?: string): Promise<void> => {
      const extra = passphrase === undefined ? {} : { ONAIR_BACKUP_PASSPHRASE: passphrase };
      const { code, output } = await onair(['restore', path], { ...env, ...extra, ONAIR_DATA: other });
      assert.notEqual(code, 0);
      assert.match(output, text);
      assert.ok(!existsSync(other));
    };
    await refusedWith(file, /passphrase does not open/u, 'another');
    await refusedWith(file, /is encrypted/u, '');
    const cut = join(folder, 'cut');
    writeFileSync(cut, readFileSync(file).subarray(0, 60_000));
    await refusedWith(cut, /cut short, or was changed/u);
    writeFileSync(cut, 'something else');
    await refusedWith(cut, /is no backup of onair/u);
  });
});
