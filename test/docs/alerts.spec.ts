/** The alerts by the tools of Prometheus: each fires when it should, and only then. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testFolder } from '../helpers/test-folder.ts';
import { ALERT_CASES, OF_SERVER, type AlertCase } from './alert-cases.ts';
import { PANEL_CASES, SHOWN } from './panel-cases.ts';

const ALERTS = fileURLToPath(new URL('../../docs/alerts.yml', import.meta.url));
const DASHBOARD = fileURLToPath(new URL('../../docs/grafana/onair.json', import.meta.url));
const alertNames = [...readFileSync(ALERTS, 'utf8').matchAll(/^ +- alert: (\w+)$/gmu)].map(([, name = '']) => name);

/** Answers what the program has printed; what it finds wrong is the error. */
function promtool(args: readonly string[]): string {
  return execFileSync('promtool', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The same series from so many servers on one database. */
function scraped(series: Readonly<Record<string, string>>, servers: number): object[] {
  return Object.entries(series).flatMap(([each, values]) => {
    const [name = '', labels = ''] = each.split(/[{}]/u);
    return Array.from({ length: servers }, (_, at) => ({
      series: `${name}{${[labels, `instance="onair-${at + 1}:8090"`].filter((part) => part !== '').join()}}`,
      values,
    }));
  });
}

describe('the alerts', () => {
  const ruleTest = (name: string, { bad, good, minutes }: AlertCase): object[] =>
    Object.entries({ bad, good }).flatMap(([kind, series]) =>
      [1, 3].map((servers) => ({
        name: `${name} while it is ${kind}, of ${servers}`,
        interval: '1m',
        input_series: scraped(series, servers),
        promql_expr_test: [
          {
            expr: `count by (alertname) (ALERTS{alertname="${name}",alertstate="firing"})`,
            eval_time: `${minutes}m`,
            exp_samples:
              kind === 'bad'
                ? [{ labels: `{alertname="${name}"}`, value: OF_SERVER.includes(name) ? servers : 1 }]
                : [],
          },
        ],
      })),
    );

  it('each alert fires once in its case and stays silent beside it, whether one server is scraped or three, by promtool', (t) => {
    assert.deepEqual(Object.keys(ALERT_CASES), alertNames);
    assert.match(promtool(['check', 'rules', ALERTS]), new RegExp(`SUCCESS: ${alertNames.length} rules found`, 'u'));
    const file = join(testFolder(t, 'alerts'), 'tests.yml');
    const tests = Object.entries(ALERT_CASES).flatMap(([name, each]) => ruleTest(name, each));
    writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
    promtool(['test', 'rules', file]);
  });

  it('each panel of the dashboard shows of three servers what it shows of one, by promtool', (t) => {
    const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    assert.deepEqual(
      panels.flatMap(({ title, targets }) => (targets === undefined ? [] : [title])),
      Object.keys(PANEL_CASES),
    );
    const tests = [1, 3].map((servers) => ({
      name: `${servers} servers`,
      interval: '1m',
      input_series: [
        ...scraped(SHOWN, servers),
        // One server does not reach a Device that the others do, and has not heard of a new name.
        ...(servers === 1
          ? []
          : [
              { series: 'onair_device_online{device="1",instance="onair-4:8090"}', values: '0x20' },
              { series: 'onair_livestream_info{livestream="1",name="Former",instance="onair-4:8090"}', values: '1x20' },
            ]),
      ],
      promql_expr_test: panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr }, at) => {
          const { shared, each } = PANEL_CASES[title]![at]!;
          const value = each === undefined ? shared : each * servers;
          return {
            expr: `sum(${expr.replaceAll('$livestream', '.*')})`,
            eval_time: '10m',
            exp_samples: [{ labels: '{}', value }],
          };
        }),
      ),
    }));
    const file = join(testFolder(t, 'panels'), 'tests.yml');
    writeFileSync(file, JSON.stringify({ evaluation_interval: '1m', tests }));
    promtool(['test', 'rules', file]);
  });
});
