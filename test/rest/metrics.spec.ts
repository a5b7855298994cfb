/** /metrics with broadcasts on it, read by a strict parser, and the alerting rules that are made for it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import type { Hono } from 'hono';
import { createSessions } from '../../auth/sessions.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { createRestApp } from '../../rest/app.ts';
import { createMeters } from '../../rest/metrics/metrics.ts';
import { createRateLimit } from '../../toolkit/rate-limit.ts';
import { sharingFamilies } from '../../rest/metrics/sharing-metrics.ts';
import { readExposition, type ReadFamily } from '../helpers/exposition.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { until } from '../helpers/until.ts';
import { type Clock } from '../../domain/time/clock.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { addTokens, TOKENS } from '../app/users.ts';
import { silentLog } from '../helpers/silent-log.ts';

describe('/metrics with broadcasts', () => {
  let app: TestApp<Clock>;
  let rest: Hono;
  let onAir: number;
  let failed: number;

  before(async () => {
    app = await startTestApp({ clock: systemClock, rateLimit: createRateLimit(60, () => 0, silentLog) });
    const { store, device, control, auth, system } = app;
    await addTokens(store, app.users);
    const meters = createMeters(systemClock);
    meters.watchStore(store);
    rest = createRestApp({
      dispatcher: meters.metered(app.dispatcher),
      auth,
      meters,
      log: silentLog,
      sessions: createSessions({ store, clock: systemClock }),
      profile: profileByName('full'),
      config: { version: '1.2.3' },
      clock: systemClock,
      health: () => store.health(),
      broadcasts: { store, control, system, clock: systemClock, dataDir: tmpdir() },
    });
    onAir = await seedBroadcast(store, ' "canary\\name"');
    failed = await seedBroadcast(store, ' 2');
    await seedBroadcast(store, ' 3');
    for (const id of [onAir, failed])
      assert.equal((await send('POST', `/svcapiv2/livestreams/${id}/start`, '{}')).status, 202);
    const [first, second] = await until('two runs', () => device.runIds.length === 2 && device.runIds);
    device.running(first!, { cpu_cores: 0.42, disk: { free_bytes: 5e9, size_bytes: 1e11 } });
    const { publishings } = device.report(first!);
    const primary = { ...publishings[0]!.primary, state: 'retrying' as const, attempts: 3, last_error: 'canary-key' };
    device.tell(first!, { publishings: [{ ...publishings[0]!, primary }] });
    const loudness = { momentary_lufs: -21.4, short_term_lufs: -22, integrated_lufs: null };
    const levels = [{ track: 1, peak_dbfs: [-6.02, -100], rms_dbfs: [-9.03, -100], ...loudness }];
    const behind = { kind: 'behind' as const, since: new Date().toISOString(), fps: 14, wanted_fps: 30 };
    device.tell(first!, { conditions: [behind] });
    const sums = { sessions: 0, starts: 0, start_ms: 0, stalls: 0, stalled_ms: 0, watched_ms: 0 };
    const by = { session: 3, token: 0, address: 0 };
    const watching = {
      now: 3,
      peak: 5,
      seconds: 120,
      sessions: 5,
      by,
      renditions: [],
      players: [],
      sums,
      cached: false,
    };
    device.tell(first!, { audience: watching });
    device.tell(first!, { source: { ...device.report(first!).source, levels } });
    device.failed(second!, 'canary-reason');
    await until('their states', async () => {
      const { rows } = await store.find('runs', {});
      return rows.map(({ status }) => status).join() === '2,3';
    });
  });
  after(() => app.close());

  const send = async (method: string, path: string, body?: string, token: string | null = TOKENS.admin) =>
    rest.request(path, {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
  const scrape = async (token: string | null = null): Promise<Map<string, ReadFamily>> =>
    readExposition(await (await send('GET', '/metrics', undefined, token)).text());
  const value = (families: Map<string, ReadFamily>, name: string, labels: Record<string, unknown> = {}): number => {
    const family = families.get(name) ?? assert.fail(`${name} is not exported`);
    const wanted = Object.entries(labels).map(([key, text]) => [key, String(text)]);
    const found = family.samples.filter((sample) => wanted.every(([key, text]) => sample.labels[key!] === text));
    assert.equal(found.length, 1, `${name} ${JSON.stringify(labels)}`);
    return found[0]!.value;
  };

  it('/metrics tells of each Live stream its state, of those on air the figures', async () => {
    const now = await scrape();
    assert.equal(value(now, 'onair_livestream_state', { livestream: onAir, state: 'running' }), 1);
    assert.equal(value(now, 'onair_livestream_state', { livestream: onAir, state: 'stopped' }), 0);
    assert.equal(value(now, 'onair_livestream_state', { livestream: failed, state: 'failed' }), 1);
    assert.equal(value(now, 'onair_livestream_condition', { livestream: onAir, kind: 'behind' }), 1);
    assert.equal(value(now, 'onair_livestream_condition', { livestream: onAir, kind: 'black' }), 0);
    assert.equal(value(now, 'onair_viewers', { livestream: onAir }), 3);
    assert.equal(value(now, 'onair_viewers_peak'), 5);
    assert.equal(value(now, 'onair_watched_seconds'), 120);
    assert.equal(value(now, 'onair_livestream_cpu_cores'), 0.42);
    assert.ok(value(now, 'onair_livestream_reserved_cores', { livestream: onAir }) > 0.1);
    assert.equal(value(now, 'onair_source_state', { livestream: onAir, state: 'up' }), 1);
    assert.equal(value(now, 'onair_source_bits_per_second'), 2_500_000);
    assert.equal(value(now, 'onair_source_peak_dbfs', { livestream: onAir, track: 1, channel: 0 }), -6.02);
    assert.equal(value(now, 'onair_source_rms_dbfs', { track: 1, channel: 1 }), -100);
    assert.equal(value(now, 'onair_source_loudness_lufs', { track: 1, window: 'short_term' }), -22);
    assert.equal(now.get('onair_source_loudness_lufs')?.samples.length, 2);
    assert.equal(now.get('onair_encoding_speed_ratio')?.samples.length, 2);
    assert.equal(value(now, 'onair_destination_state', { livestream: onAir, state: 'retrying' }), 1);
    assert.equal(value(now, 'onair_destination_attempts', { livestream: onAir, path: 'primary' }), 3);
    assert.equal(now.get('onair_livestream_state')?.samples.length, 3 * 4);
  });

  it('/metrics tells of each Device what is free, and of the disks', async () => {
    const now = await scrape();
    assert.equal(value(now, 'onair_device_online', { device: 1 }), 1);
    assert.equal(value(now, 'onair_device_cores'), 4);
    assert.ok(Math.abs(value(now, 'onair_device_free_cores') + value(now, 'onair_device_reserved_cores') - 3) < 1e-9);
    assert.equal(value(now, 'onair_device_slots_used'), 1);
    assert.equal(value(now, 'onair_device_disk_free_bytes'), 5e9);
    assert.ok(value(now, 'onair_data_disk_free_bytes') <= value(now, 'onair_data_disk_size_bytes'));
  });

  it('/metrics tells of each check of the installation its worst state, in as many series whatever is wrong', async () => {
    const count = (families: Map<string, ReadFamily>): number => families.get('onair_alarm')!.samples.length;
    const before = await scrape();
    assert.equal(value(before, 'onair_alarm', { check: 'mail', state: 'ok' }), 1);
    await app.data('addMailRule', { name: 'Night desk', recipients: ['desk@broadcaster.example'] });
    const now = await scrape();
    assert.equal(value(now, 'onair_alarm', { check: 'mail', state: 'ok' }), 0);
    assert.equal(value(now, 'onair_alarm', { check: 'mail', state: 'warning' }), 1);
    assert.equal(count(now), count(before));
  });

  it('/metrics counts calls of every api, commits, and refusals of the rate limit', async () => {
    const before = await scrape();
    const starts = { operation: 'startLivestream', via: 'rest', outcome: 'ok' };
    assert.equal(value(before, 'onair_calls_total', starts), 2);
    assert.ok(value(before, 'onair_store_commits_total') >= 4);
    assert.ok(value(before, 'nodejs_eventloop_delay_p99_seconds') >= 0);
    await send('GET', '/svcapiv2/livestreams/999');
    let last = 200;
    for (let n = 0; n < 100 && last !== 429; n += 1) last = (await send('GET', '/svcapiv2/channels')).status;
    assert.equal(last, 429);
    const now = await scrape();
    const missing = { operation: 'getLivestreamById', outcome: 'not_found' };
    assert.equal(value(now, 'onair_calls_total', missing), 1);
    assert.equal(value(now, 'onair_rate_limited_calls_total', { via: 'rest' }), 1);
    assert.equal(value(now, 'onair_call_seconds', { operation: 'startLivestream', le: '+Inf' }), 2);
  });

  it('/metrics has names for a caller with a token alone, and secrets and reasons for nobody', async () => {
    const open = await (await send('GET', '/metrics', undefined, null)).text();
    assert.ok(!open.includes('canary') && !open.includes('studio'));
    const named = await scrape(TOKENS.operator);
    assert.equal(value(named, 'onair_livestream_info', { livestream: onAir, name: 'Show "canary\\name"' }), 1);
    assert.equal(value(named, 'onair_device_info', { device: 1, name: 'studio' }), 1);
    const text = await (await send('GET', '/metrics')).text();
    assert.ok(!text.includes('canary-key') && !text.includes('canary-reason'));
    const wrong = await send('GET', '/metrics', undefined, 'onair_of_nobody');
    assert.deepEqual([wrong.status, wrong.headers.get('content-type')], [401, 'application/problem+json']);
  });

  it('/metrics has every series that an alerting rule looks at', async () => {
    const rules = readFileSync(new URL('../../docs/alerts.yml', import.meta.url), 'utf8');
    const exprs = [...rules.matchAll(/^ +expr: (.+)$/gmu)].map(([, expr = '']) => expr);
    const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gmu)].map(([, name]) => name);
    assert.equal(exprs.length, alerts.length);
    assert.equal(new Set(alerts).size, alerts.length);
    const now = new Map([...(await scrape(TOKENS.admin)), ...readExposition(ofSharedStore())]);
    for (const expr of exprs) {
      const names = expr.match(/\b(?:onair|nodejs|process)_[a-z0-9_]+/gu) ?? assert.fail(`no series in ${expr}`);
      for (const name of names) {
        const family = now.get(name) ?? assert.fail(`${name} of ${expr} is not exported`);
        for (const [, state = ''] of expr.matchAll(new RegExp(`${name}\\{state=~?"([^"]+)"`, 'gu')))
          for (const each of state.split('|'))
            assert.ok(
              family.samples.some(({ labels }) => labels['state'] === each),
              `${name} has no state ${each}`,
            );
      }
    }
  });
});

/** The series that a server has beside others of its store. */
function ofSharedStore(): string {
  const now = new Date(0).toISOString();
  const seen = { started_at: now, seen_at: now, silentMs: 20_000, lag: 3, leases: [] };
  const members = [{ id: 'a', name: 'one', version: '1', ...seen }];
  const claims = { counts: new Map([[1, 4]]) };
  return sharingFamilies({ sharing: () => ({ members, conflicts: 2 }), staleMs: () => 1_500 }, claims);
}
