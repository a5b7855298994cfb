/** Metrics, alerts and the dashboard before a real Prometheus: it reads all of them, and its own tools find nothing to say. */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { goOnAir, smallBroadcast } from '../helpers/broadcast.ts';
import { freePort } from '../helpers/ports.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const ALERTS = fileURLToPath(new URL('../../docs/alerts.yml', import.meta.url));
const DASHBOARD = fileURLToPath(new URL('../../docs/grafana/onair.json', import.meta.url));
const alertNames = [...readFileSync(ALERTS, 'utf8').matchAll(/^ +- alert: (\w+)$/gmu)].map(([, name = '']) => name);

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
interface Answer<T> {
  status: string;
  error?: string;
  data: T;
}

describe('a Prometheus that scrapes the service', () => {
  let service: Service;
  let prometheus: ChildProcess;
  let url: string;

  before(async () => {
    service = await startService({ ONAIR_LOG_LEVEL: 'error' });
    const show = await smallBroadcast(service);
    await goOnAir(service, show.livestreamId);
    const config = join(service.scratch, 'prometheus.yml');
    writeFileSync(config, JSON.stringify(configOf(new URL(service.url).host)));
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api/v1`;
    const data = join(service.scratch, 'prometheus');
    const words = [
      '--log.level=error',
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    prometheus = spawn('prometheus', words, { stdio: ['ignore', 'ignore', 'inherit'] });
  });
  after(async () => {
    prometheus?.kill();
    await service.dispose();
  });

  const configOf = (target: string): object => ({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [ALERTS],
    scrape_configs: [
      { job_name: 'onair', authorization: { credentials: TOKEN }, static_configs: [{ targets: [target] }] },
    ],
  });

  async function query(expr: string): Promise<{ metric: object; value: [number, string] }[]> {
    const response = await fetch(`${url}/query?query=${encodeURIComponent(expr)}`).catch(() => undefined);
    const { status, error, data } = (await response?.json()) as Answer<{ result: [] }>;
    if (status !== 'success') throw new Error(`${expr}: ${error}`);
    return data.result;
  }

  it('the exposition has nothing that promtool would change', async () => {
    const response = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: await response.text(),
      encoding: 'utf8',
    });
    const remarks = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    // Everybody counts bit rates in bits.
    assert.deepEqual(
      remarks.filter((line) => !/^onair_(encoding|source)_bits_per_second use base unit/u.test(line)),
      [],
    );
  });

  it('every panel of the Grafana dashboard shows something of a broadcast on air', async () => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: Panel[] };
    const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
    assert.ok(shown.length >= 20, `${shown.length} expressions`);
    // Grafana puts the chosen names there; all of them are this.
    const expressions = shown.map(({ title, expr }) => ({ title, expr: expr.replaceAll('$livestream', '.*') }));
    for (const { title, expr } of expressions)
      await until(`${title}: ${expr}`, async () => (await query(expr).catch(() => [])).length > 0);
    assert.equal((await query(expressions[0]!.expr))[0]?.value[1], '1', 'one Live stream is on air');
  });

  it('Prometheus has loaded every alert, and fires that of a start that has failed and no other critical one', async () => {
    const dead = await service.create('/channels', {
      name: 'Dead',
      type: 'Stream',
      settings: { url: 'http://127.0.0.1:9/x.m3u8' },
    });
    const body = { name: 'Fails', channelId: dead, encodingId: 1, publishingId: 1 };
    const id = await service.create('/livestreams', body);
    await service.rest('POST', `/livestreams/${id}/start`, {});
    interface Alert {
      state: string;
      labels: Record<string, string>;
    }
    const firing = async (): Promise<Alert[]> => {
      const { data } = (await (await fetch(`${url}/alerts`)).json()) as Answer<{ alerts: Alert[] }>;
      return data.alerts.filter(({ state, labels }) => state === 'firing' && labels['severity'] === 'critical');
    };
    const [alert] = await until('the alert', async () => (await firing()).length > 0 && firing());
    assert.equal(alert?.labels['alertname'], 'OnairLivestreamFailed');
    assert.equal(alert?.labels['livestream'], String(id));
    const rules = (await (await fetch(`${url}/rules?type=alert`)).json()) as Answer<{
      groups: { rules: { name: string; health: string }[] }[];
    }>;
    const loaded = rules.data.groups.flatMap((group) => group.rules);
    assert.deepEqual(loaded.map(({ name }) => name).sort(), [...alertNames].sort());
    assert.deepEqual(
      loaded.filter(({ health }) => health === 'err'),
      [],
    );
  });
});
