/**
 * `npm run new-tool -- <operationId> ["METHOD /path"]` writes a tool and its test, and puts the tool into the list. Both pass lint, types and the house tests, with words made
 * of the tool's name; the test fails until somebody has written it, so that no tool goes out as it comes from here.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { TAGS } from '../toolkit/tags.ts';
import { indexText, toolNames } from './tool-index.ts';

/** The effect that a method mostly has, and the verb that the summary of such a tool begins with. */
const METHODS: Record<string, { effect: string; verb: string }> = {
  GET: { effect: 'read', verb: 'Show' },
  POST: { effect: 'create', verb: 'Create' },
  PUT: { effect: 'update', verb: 'Change' },
  PATCH: { effect: 'update', verb: 'Change' },
  DELETE: { effect: 'delete', verb: 'Delete' },
};

/** `getChannelMood` has the words get, channel and mood. */
function wordsOf(name: string): string[] {
  return name.split(/(?=[A-Z])/u).map((word) => word.toLowerCase());
}

/** The tag whose noun is in the name; a tool about nothing known gets the last tag. */
function tagOf(name: string): string {
  const noun = (tag: string): string => tag.replace(/s$/u, '').replaceAll(' ', '').toLowerCase();
  const tags = Object.keys(TAGS);
  return tags.find((tag) => name.toLowerCase().includes(noun(tag))) ?? tags.at(-1) ?? '';
}

/** The names in the braces of a route. */
function paramsOf(route: string): string[] {
  return [...route.matchAll(/\{(\w+)\}/gu)].map((match) => match[1] ?? '');
}

function fieldOf(param: string): string {
  const subject = wordsOf(param.replace(/Id$/u, '')).join(' ');
  return param.endsWith('Id')
    ? `${param}: idField.describe('Id of the ${subject}.')`
    : `${param}: z.string().min(1).max(100).describe('The ${subject}.')`;
}

function toolFile(name: string, { effect, verb }: { effect: string; verb: string }, route: string): string {
  const params = paramsOf(route);
  const hasId = params.some((param) => param.endsWith('Id'));
  const [first = '', ...rest] = wordsOf(name);
  const subject = rest.join(' ') || first;
  const aliases = [subject, `${first} ${subject}`, `${verb.toLowerCase()} ${subject}`, `the ${subject}`];
  return `import { z } from 'zod/v3';
${hasId ? "import { idField } from '../domain/base/schema.ts';\n" : ''}import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const ${name} = defineTool({
  name: '${name}',
  summary: '${verb} the ${subject}.',
  description: 'Use it when somebody asks for the ${subject}. It answers what there is.',
  tag: '${tagOf(name)}',
  aliases: [${[...new Set(aliases)].map((alias) => `'${alias}'`).join(', ')}],
  rest: '${route}',
  access: 'operator',
  effect: '${effect}',
  input: z.object({${params.length > 0 ? ` ${params.map(fieldOf).join(', ')} ` : ''}}).strict(),
  output: dataOf(z.object({}).strict()),
  handle() {
    throw new Error('${name} is not written yet');
  },
});
`;
}

function testFile(name: string, route: string): string {
  const args = paramsOf(route).map((param) => `${param}: ${param.endsWith('Id') ? '1' : "'1'"}`);
  return `import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { startTestApp, type TestApp } from '../app/test-app.ts';

describe('${name}', () => {
  let app: TestApp;
  beforeEach(async () => void (app = await startTestApp()));
  afterEach(() => app.close());

  for (const what of ['succeeds', 'refuses each wrong call', 'shows no secret']) {
    it(what, async () => {
      await app.call('${name}'${args.length > 0 ? `, { ${args.join(', ')} }` : ''});
      assert.fail('This test of ${name} is not written yet.');
    });
  }
});
`;
}

async function write(root: string, path: string, content: string): Promise<void> {
  if (existsSync(`${root}/${path}`)) throw new Error(`${path} exists already`);
  await place(root, path, content);
}

async function place(root: string, path: string, content: string): Promise<void> {
  mkdirSync(dirname(`${root}/${path}`), { recursive: true });
  const options = { ...(await resolveConfig(`${root}/${path}`)), filepath: path };
  writeFileSync(`${root}/${path}`, await format(content, options));
  console.error(`wrote ${path}`);
}

const [name = '', route = `GET /${name}`] = process.argv.slice(2).filter((word) => word !== '--');
const [, word = ''] = /^([A-Z]+) \/[\w/{}-]+$/u.exec(route) ?? [];
const method = METHODS[word];
if (!/^[a-z][A-Za-z]{2,60}$/u.test(name) || method === undefined) {
  console.error('Usage: npm run new-tool -- <operationId> ["METHOD /path/{param}"]');
  process.exitCode = 2;
} else {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  await write(root, `tools/${name}.ts`, toolFile(name, method, route));
  await write(root, `test/tools/${name}.spec.ts`, testFile(name, route));
  await place(root, 'tools/index.ts', indexText('operations', toolNames(root, 'tools')));
  console.error('Next: complete both, run npm run gen, then npm test.');
}
