/** Every input field of every operation is found: the list is made from the schemas, so that a new field is asked for as well. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleClassesOf } from '../../mcp/search/example-classes.ts';
import { fieldsOf } from '../../mcp/search/schema-fields.ts';
import { answerSearch } from '../../mcp/search/search-answer.ts';
import { createToolSearch } from '../../mcp/search/search.ts';
import { splitName } from '../../mcp/search/synonyms.ts';
import { pageFields } from '../../toolkit/output/page.ts';
import { catalogue } from '../app/test-app.ts';
import { someOf } from '../helpers/counts.ts';

const tools = [...catalogue.operations, ...catalogue.workflows];
const search = createToolSearch(tools);
/** Which resource is meant, and what each list has, are said by every wish alike. */
const EVERYWHERE = new Set([...Object.keys(pageFields), 'name', 'description', 'dry_run', 'wait_seconds']);

test('the bare names of input fields lead to an operation that has them, in six cases of seven', (t) => {
  const cases = tools.flatMap((tool) =>
    fieldsOf(tool.input)
      .filter(({ path }) => !EVERYWHERE.has(path) && !/Ids?$/u.test(path))
      .map(({ path }) => ({ tool, path })),
  );
  assert.ok(cases.length > 450, `${cases.length}`);
  const sample = someOf(cases, 150);
  const lost = sample.filter(({ tool, path }) => {
    const deed = tool.summary.split(/[:;.(]/u)[0];
    const words = splitName(path.replace(/^settings(?:_(?:video|audio))?\./u, '').replaceAll('.', ' '));
    const query = `${deed}: ${words}`;
    const { fits, tools: found, workflow } = answerSearch(search, { query, limit: 5, detail: 'names' }, () => true);
    const named = [workflow, ...found.map(({ name }) => name)].filter((name) => typeof name === 'string');
    const has = (name: string): boolean => fieldsOf(catalogue.get(name).input).some((field) => field.path === path);
    return fits === false || !named.some((name) => catalogue.get(name).tag === tool.tag && has(name));
  });
  t.diagnostic(`${lost.length} lost: ${lost.map(({ tool, path }) => `${tool.name} ${path}`).join('; ')}`);
  assert.ok(lost.length <= sample.length / 7, `${lost.length}`);
});

test('what people say of a field leads to an operation that has it', () => {
  const groups = exampleClassesOf(tools).filter(({ name, topic }) => topic === undefined && name.includes(':'));
  assert.deepEqual(
    groups.filter((group) => group.tools.length === 0).map(({ name }) => name),
    [],
  );
  const cases = groups.flatMap((group) => group.requests.map((request) => ({ request, group })));
  const lost = someOf(cases, 200).filter(({ request, group }) => {
    const { fits, ...answer } = answerSearch(search, { query: request, limit: 5, detail: 'names' }, () => true);
    const found = [answer['workflow'], ...answer.tools.map(({ name }) => name)];
    return fits === false || !group.tools.some(({ name }) => found.includes(name));
  });
  assert.ok(lost.length <= 4, lost.map(({ request, group }) => `${request} (${group.name})`).join('; '));
});
