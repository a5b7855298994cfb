/**
 * `npm run new-tool -- <operationId> ["METHOD /path"]` writes a tool and its test. Both compile; the test fails until it is
 * written, and the house tests fail until the declaration says what the tool is.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const EFFECTS: Record<string, string> = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

function toolFile(name: string, method: string, path: string): string {
  const params = [...path.matchAll(/\{(\w+)\}/gu)].map((match) => match[1] ?? '');
  const fields = params.map((param) => `${param}: idField.describe('')`);
  return `import { z } from 'zod/v3';
${params.length > 0 ? "import { idField } from '../domain/schema.ts';\n" : ''}import { dataOf } from '../toolkit/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const ${name} = defineTool({
  name: '${name}',
  summary: '',
  description: '',
  tag: '',
  aliases: [],
  rest: '${method} ${path}',
  access: 'operator',
  effect: '${EFFECTS[method]}',
  input: z.object({${fields.length > 0 ? ` ${fields.join(', ')} ` : ''}}).strict(),
  output: dataOf(z.object({}).strict()),
  handle() {
    throw new Error('${name} is not written yet');
  },
});
`;
}

function testFile(name: string): string {
  return `import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openBench, type Bench } from './bench.ts';

describe('${name}', () => {
  let bench: Bench;
  beforeEach(async () => void (bench = await openBench()));
  afterEach(() => bench.close());

  for (const what of ['succeeds', 'refuses each wrong call', 'shows no secret']) {
    it(what, async () => {
      await bench.call('${name}');
      assert.fail('This test of ${name} is not written yet.');
    });
  }
});
`;
}

function write(root: string, path: string, content: string): void {
  if (existsSync(`${root}/${path}`)) throw new Error(`${path} exists already`);
  mkdirSync(dirname(`${root}/${path}`), { recursive: true });
  writeFileSync(`${root}/${path}`, content);
  console.error(`wrote ${path}`);
}

const [name = '', route] = process.argv.slice(2).filter((word) => word !== '--');
const [method = '', path = ''] = (route ?? `GET /${name}`).split(' ');
if (!/^[a-z][A-Za-z]{2,60}$/u.test(name) || EFFECTS[method] === undefined || !/^\/[\w/{}-]+$/u.test(path)) {
  console.error('Usage: npm run new-tool -- <operationId> ["METHOD /path/{param}"]');
  process.exitCode = 2;
} else {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  write(root, `tools/${name}.ts`, toolFile(name, method, path));
  write(root, `test/tools/${name}.spec.ts`, testFile(name));
  console.error('Next: complete both, run npm run gen, then npm test.');
}
