/** The protocol's own conformance suites against the real service: what fails is known, with its reason, and nothing else fails. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { STATELESS, WITH_HANDSHAKE, type Known } from './conformance-baseline.ts';
import { assertInstalled, runExternal, type ExternalProgram } from './external-programs.ts';
import { startTokenProxy, type TokenProxy } from './token-proxy.ts';
import { wordsOf } from '../helpers/words.ts';

interface Run {
  program: ExternalProgram;
  args: readonly string[];
  /** A scenario that is not run any more is no scenario that passes. */
  scenarios: number;
  known: readonly Known[];
  /** Nothing in them needs the suite's example server. */
  passing: readonly string[];
  /** Scenarios whose messages are held against the JSON schema of the revision; 0.1 does not do that. */
  schemaChecked?: number;
}

const RUNS: Record<string, Run> = {
  'all of 0.1.16': {
    program: 'conformance 0.1.16',
    args: ['--suite', 'all'],
    scenarios: 32,
    known: WITH_HANDSHAKE,
    passing: ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection', 'server-sse-multiple-streams'],
  },
  'all that 2025-11-25 requires, by 0.2.0-alpha.12': {
    program: 'conformance 0.2.0-alpha.12',
    args: ['--requirements', '2025-11-25'],
    scenarios: 33,
    known: WITH_HANDSHAKE,
    passing: wordsOf(`
      server-initialize server-session-lifecycle ping tools-list prompts-list resources-list
      dns-rebinding-protection server-sse-multiple-streams
    `),
    schemaChecked: 29,
  },
  'all that 2026-07-28 requires, by 0.2.0-alpha.12': {
    program: 'conformance 0.2.0-alpha.12',
    args: ['--requirements', '2026-07-28'],
    scenarios: 50,
    known: STATELESS,
    passing: wordsOf(`
      caching http-header-validation tools-list prompts-list resources-list sep-2164-resource-not-found
      dns-rebinding-protection server-sse-multiple-streams
    `),
    schemaChecked: 46,
  },
};

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

let service: Service | undefined;
let proxy: TokenProxy | undefined;
const results = new Map<string, Map<string, Check[]>>();

before(async () => {
  assertInstalled();
  service = await startService();
  proxy = await startTokenProxy(service.url, TOKEN);
  const { scratch } = service;
  const url = `${proxy.url}/mcp`;
  const run = async (name: string, folder: string): Promise<void> => {
    const { program, args } = RUNS[name]!;
    const words = ['server', '--url', url, ...args, '--output-dir', folder];
    const { stdout, stderr } = await runExternal(program, words, folder);
    results.set(name, readResults(folder, `${stdout}${stderr}`));
  };
  const names = Object.keys(RUNS);
  await Promise.all(names.map((name, index) => run(name, join(scratch, `conformance-${index}`))));
  // The suite gives a frame a second, which a busy machine may miss: what fails is run once more, beside nothing of ours.
  for (const [index, name] of names.entries())
    if (unknownOf(name).length > 0) await run(name, join(scratch, `conformance-${index}-again`));
});
after(async () => {
  proxy?.close();
  await service?.dispose();
});

/** Scenario → its checks, from `server-<scenario>-<time>/checks.json`. */
function readResults(folder: string, output: string): Map<string, Check[]> {
  const named = readdirSync(folder).flatMap((entry) => {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\dZ-]+$/u.exec(entry)?.[1];
    return scenario === undefined ? [] : [[scenario, join(folder, entry, 'checks.json')] as const];
  });
  assert.ok(named.length > 0, `The suite left no results:\n${output}`);
  return new Map(named.map(([scenario, path]) => [scenario, JSON.parse(readFileSync(path, 'utf8')) as Check[]]));
}

/** As the baseline names them, with what the suite says. A warning is about a SHOULD. */
function findings(scenarios: Map<string, Check[]>): Map<string, string> {
  const found = [...scenarios].flatMap(([scenario, checks]) =>
    checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id, errorMessage = '' }) => [id === scenario ? id : `${scenario}:${id}`, errorMessage] as const),
  );
  return new Map(found);
}

/** Findings that the baseline does not know. */
function unknownOf(name: string): [string, string][] {
  const excused = RUNS[name]!.known.flatMap(({ failing }) => failing);
  return [...findings(results.get(name) ?? new Map<string, Check[]>())].filter(([check]) => !excused.includes(check));
}

for (const [name, { scenarios, known, passing, schemaChecked }] of Object.entries(RUNS)) {
  describe(name, () => {
    const resultsOf = (): Map<string, Check[]> => results.get(name) ?? new Map<string, Check[]>();
    const excused = known.flatMap(({ failing }) => failing);

    it(`the conformance run ${name} is run as a whole`, (t) => {
      const checks = [...resultsOf().values()].flat();
      const count = (status: Check['status']): number => checks.filter((check) => check.status === status).length;
      t.diagnostic(
        `${resultsOf().size} scenarios; checks: ${count('SUCCESS')} passed, ${excused.length} known to fail`,
      );
      assert.equal(resultsOf().size, scenarios, [...resultsOf().keys()].join(', '));
    });

    for (const scenario of passing) {
      it(`the scenario ${scenario} of the conformance run ${name} passes`, () => {
        const checks = resultsOf().get(scenario) ?? [];
        const wrong = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
        assert.deepEqual(wrong, [], scenario);
        assert.ok(
          checks.some(({ status }) => status === 'SUCCESS'),
          `${scenario} checked nothing`,
        );
      });
    }

    it(`the conformance run ${name} fails nowhere but where it is known to, and there still`, () => {
      const found = findings(resultsOf());
      const unknown = unknownOf(name);
      const mended = excused.filter((check) => !found.has(check));
      assert.deepEqual({ unknown, mended }, { unknown: [], mended: [] }, 'test/mcp/conformance-baseline.ts is wrong');
    });

    if (schemaChecked === undefined) return;
    it(`the conformance run ${name} finds every message to fit the schema of its revision`, () => {
      const isSound = ({ id, status }: Check): boolean => id === 'wire-schema-valid' && status === 'SUCCESS';
      const sound = [...resultsOf().values()].filter((checks) => checks.some(isSound));
      assert.equal(sound.length, schemaChecked);
    });
  });
}
