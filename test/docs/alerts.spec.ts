/** The alerts by the tools of Prometheus: each fires when it should, and only then. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testFolder } from '../helpers/test-folder.ts';
import { ALERT_CASES, type AlertCase } from './alert-cases.ts';

const ALERTS = fileURLToPath(new URL('../../docs/alerts.yml', import.meta.url));
const alertNames = [...readFileSync(ALERTS, 'utf8').matchAll(/^ +- alert: (\w+)$/gmu)].map(([, name = '']) => name);

/** Answers what the program has printed; what it finds wrong is the error. */
function promtool(args: readonly string[]): string {
  return execFileSync('promtool', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

describe('the alerts', () => {
  const ruleTest = (name: string, { bad, good, minutes }: AlertCase): object[] =>
    Object.entries({ bad, good }).map(([kind, series]) => ({
      name: `${name} while it is ${kind}`,
      interval: '1m',
      input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
      promql_expr_test: [
        {
          expr: `count by (alertname) (ALERTS{alertname="${name}",alertstate="firing"})`,
          eval_time: `${minutes}m`,
          exp_samples: kind === 'bad' ? [{ labels: `{alertname="${name}"}`, value: 1 }] : [],
        },
      ],
    }));

  it('each alert fires in its case and stays silent beside it, by promtool', (t) => {
    assert.deepEqual(Object.keys(ALERT_CASES), alertNames);
    assert.match(promtool(['check', 'rules', ALERTS]), new RegExp(`SUCCESS: ${alertNames.length} rules found`, 'u'));
    const file = join(testFolder(t, 'alerts'), 'tests.yml');
    const tests = Object.entries(ALERT_CASES).flatMap(([name, each]) => ruleTest(name, each));
    writeFileSync(file, JSON.stringify({ rule_files: [ALERTS], evaluation_interval: '1m', tests }));
    promtool(['test', 'rules', file]);
  });
});
