/** A client that others' tools generate from the served API description, with their defaults: it compiles for every operation, and works. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { callsProgram, operationIdsOf, type ApiDocument } from './typed-calls.ts';

const SOURCE = fileURLToPath(new URL('typed-client/', import.meta.url));
const INSTALLED = fileURLToPath(new URL('../../node_modules/.typed-client/', import.meta.url));
const PACKAGES = join(INSTALLED, 'node_modules');
/** Generating takes 1 s and compiling 4 s. */
const BOUND_MS = 120_000;
const CONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noEmitOnError: true,
    rootDir: '.',
    outDir: '.',
  },
  files: ['api.mts', 'calls.mts', 'claims.mts', 'program.mts'],
};

let service: Service;
let folder: string;
let document: ApiDocument;

before(async () => {
  const [installed, wanted] = [INSTALLED, SOURCE].map((path) => lockOf(path));
  assert.ok(installed === wanted, 'The generator is not installed. Run: node scripts/setup.mjs test');
  service = await startService();
  folder = mkdtempSync(join(tmpdir(), 'onair-typed-'));
  symlinkSync(PACKAGES, join(folder, 'node_modules'));
  for (const name of ['claims.mts', 'program.mts']) copyFileSync(join(SOURCE, name), join(folder, name));
  document = (await service.rest('GET', '/openapi.json')).body as ApiDocument;
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  writeFileSync(join(folder, 'calls.mts'), callsProgram(document));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
  await run(join(PACKAGES, 'openapi-typescript/bin/cli.js'), ['openapi.json', '-o', 'api.mts']);
});
after(async () => {
  await (service as Service | undefined)?.dispose();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

function lockOf(path: string): string | undefined {
  try {
    return readFileSync(join(path, 'package-lock.json'), 'utf8');
  } catch {
    return undefined;
  }
}

/** Answers the output of a program of node; the output of one that fails is the error. */
function run(program: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd: folder, timeout: BOUND_MS, maxBuffer: 16 << 20, env: { ...process.env, ...env } };
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      error ? reject(new Error(`${program}: ${stdout}${stderr}${error.message}`)) : resolve(stdout),
    ),
  );
}

describe('a typed client that is generated with the default settings', () => {
  it('the typed client compiles for a call of every operation, and knows what is answered and refused', async () => {
    const called = operationIdsOf(document);
    assert.deepEqual(
      [...operations, ...workflows].map(({ name }) => name).filter((name) => !called.includes(name)),
      [],
    );
    await run(join(PACKAGES, 'typescript/bin/tsc'));
  });

  it('the typed client does what it says against the service', async () => {
    const printed = await run('program.mjs', [`${service.url}/svcapiv2`], { TOKEN });
    const { brief, ...rest } = JSON.parse(printed) as { brief: object[] } & Record<string, unknown>;
    assert.deepEqual(rest, {
      seen: { name: 'Studio', alias: null, fps: 0, retries: 10 },
      description: 'Weekdays',
      named: ['Show true Studio'],
      status: 0,
      occurrences: [5, 12, 19, 26].map((day) => `2099-01-${String(day).padStart(2, '0')}T20:00:00.000Z`),
      refusals: ['not_found', 'invalid_input', 'in_use', 'unauthenticated'],
      fields: ['name'],
      deleted: [true, true, true],
    });
    assert.deepEqual(
      brief.map((row) => Object.keys(row)),
      [['id', 'name']],
    );
  });
});
