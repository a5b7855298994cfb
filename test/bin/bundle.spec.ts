/** The form of the built program, on which its start and its memory depend. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as zod from 'zod/v3';
import { testFolder } from '../helpers/test-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
/** A file that a program loads before it does anything. */
const STATIC_IMPORT = /(?:from|import)\s*"\.\/([^"]+)"/gu;

function loadedBy(entry: string): Set<string> {
  const loaded = new Set<string>();
  const walk = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const [, next] of readFileSync(join(dist, name), 'utf8').matchAll(STATIC_IMPORT)) walk(next!);
  };
  walk(entry);
  return loaded;
}

/** The chunk that a process of an installation loads for its command. */
function commandOf(process: string): string {
  const texts = [...loadedBy('processes.js')].map((each) => readFileSync(join(dist, each), 'utf8'));
  const [, name] = new RegExp(`import\\("\\./(${process}-[0-9A-Z]{8}\\.js)"\\)`, 'u').exec(texts.join('\n')) ?? [];
  assert.ok(name, process);
  return name;
}

it('no file of the program has a letter beyond ASCII, for which V8 would keep its text in two bytes a letter', () => {
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
  // A build leaves those of the day before.
  const entries = files.filter((name) => !/-[0-9A-Z]{8}\.js$/u.test(name));
  const built = Math.min(...entries.map((name) => statSync(join(dist, name)).mtimeMs));
  const fresh = files.filter((name) => statSync(join(dist, name)).mtimeMs >= built - 60_000);
  const beyond = fresh.filter((name) => readFileSync(join(dist, name)).some((byte) => byte > 127));
  assert.deepEqual(beyond, []);
});

it('server and agent load no SDK that the first MCP client of the server needs', () => {
  for (const process of ['serve', 'device']) {
    const text = [...loadedBy(commandOf(process))].map((name) => readFileSync(join(dist, name), 'utf8')).join('\n');
    for (const sdk of ['assertCapabilityForMethod', 'isLegacyRequest']) assert.equal(text.includes(sdk), false, sdk);
  }
});

it('the schemas of the program are those of zod without methods that are bound to each of them', async (t) => {
  const bundle = join(testFolder(t, 'zod'), 'zod.mjs');
  const script = `
    import { build } from 'esbuild';
    import { SHAPE } from '${pathToFileURL(join(root, 'scripts/build/shape.mjs')).href}';
    const stdin = { contents: "export { z } from 'zod/v3'", resolveDir: process.cwd() };
    await build({ ...SHAPE, stdin, outfile: process.argv[1] });`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script, bundle], { cwd: root });
  const { z } = (await import(pathToFileURL(bundle).href)) as typeof zod;
  const schema = z.object({ name: z.string().min(1), count: z.number().optional() }).strict();
  assert.equal(Object.hasOwn(schema, 'parse'), false);
  assert.deepEqual(schema.parse({ name: 'a' }), { name: 'a' });
  assert.equal(schema.safeParse({ name: '' }).success, false);
  assert.deepEqual(await schema.spa({ name: 'a', count: 1 }), { success: true, data: { name: 'a', count: 1 } });
  assert.deepEqual(await schema['~standard'].validate({ name: 'a' }), { value: { name: 'a' } });
  assert.equal(schema['~standard'], schema['~standard']);
  assert.deepEqual(z.array(schema.nullable()).parse([null]), [null]);
});
