import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { ruleViolated } from '../../domain/base/errors.ts';
import { instantPaths } from '../../toolkit/input/instants.ts';
import { toJsonSchema, type JsonSchema } from '../../toolkit/input/json-schema.ts';
import { routeOf, type Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { startMcpApi, structured, type McpApi } from '../app/mcp-api.ts';
import { openRestApi, type RestApi } from '../app/rest-api.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';
import { countOf } from '../helpers/counts.ts';
import { requestOf, type Args } from './apis.ts';

type Meant = string | RegExp;
const FORM = /must be an instant such as/u;
/** The form that is sent, and its meaning by the clock of the service in Zurich; third, by that of a Schedule in New York, where it differs. */
const FORMS: readonly (readonly [sent: unknown, meant: Meant, inNewYork?: Meant])[] = [
  ['2026-11-28T19:15:00Z', '2026-11-28T19:15:00.000Z'],
  ['2026-11-28t19:15:00z', '2026-11-28T19:15:00.000Z'],
  ['2026-11-28T19:15:00.5Z', '2026-11-28T19:15:00.500Z'],
  ['2026-11-28T19:15:00.123456789Z', '2026-11-28T19:15:00.123Z'],
  ['2026-11-28T20:15:00+01:00', '2026-11-28T19:15:00.000Z'],
  ['2026-11-28T14:15:00.25-05:00', '2026-11-28T19:15:00.250Z'],
  ['2026-11-29T00:45:00+05:30', '2026-11-28T19:15:00.000Z'],
  ['2026-11-28T19:15:00-00:00', '2026-11-28T19:15:00.000Z'],
  ['2026-11-28T20:15:00 01:00', '2026-11-28T19:15:00.000Z'],
  ['2026-11-28T20:15:00', '2026-11-28T19:15:00.000Z', '2026-11-29T01:15:00.000Z'],
  ['2026-11-28T20:15', '2026-11-28T19:15:00.000Z', '2026-11-29T01:15:00.000Z'],
  ['2026-11-28 20:15:00.125', '2026-11-28T19:15:00.125Z', '2026-11-29T01:15:00.125Z'],
  ['2026-03-29T02:30:00', /skipped by the clock of Europe\/Zurich.*T03:00:00\+02:00/u, '2026-03-29T06:30:00.000Z'],
  ['2026-03-08T02:30:00', '2026-03-08T01:30:00.000Z', /skipped by the clock of America\/New_York.*T03:00:00-04:00/u],
  ['2026-10-25T02:30:00', /twice.*T02:30:00\+02:00.*T02:30:00\+01:00/u, '2026-10-25T06:30:00.000Z'],
  ['2026-11-01T01:30:00', '2026-11-01T00:30:00.000Z', /twice.*T01:30:00-04:00.*T01:30:00-05:00/u],
  ['2026-10-25T02:30:00+01:00', '2026-10-25T01:30:00.000Z'],
  ['2028-02-29T12:00:00Z', '2028-02-29T12:00:00.000Z'],
  ['2026-02-29T12:00:00Z', /no day 2026-02-29/u],
  ['2026-02-30T12:00:00', /no day 2026-02-30/u],
  ['2026-13-01T12:00:00Z', /no day 2026-13-01/u],
  ['2026-11-28T24:00:00Z', /not 24:00/u],
  ['2026-11-28T12:60:00Z', /not 12:60/u],
  ['2016-12-31T23:59:60Z', /leap seconds/u],
  ['2026-11-28T20:15:00+99:00', /an offset is/u],
  ['2026-11-28T20:15:00+01:99', /an offset is/u],
  ['0001-01-01T00:00:00+14:00', /years 0001 to 9999/u],
  ['9999-12-31T23:59:59-14:00', /years 0001 to 9999/u],
  ['2026-11-28', /add the time of day/u],
  ['20:15', FORM],
  ['tomorrow', FORM],
  ['1796152500', FORM],
  [1_796_152_500, /must be/u],
  ['', FORM],
  ['2026-11-28T20:15:00.'.padEnd(80, '0'), /at most 64 characters/u],
];

/** So are fields of an answer called that hold an instant. */
const NAMED_SO = /(?:_at|_start|_end|^from|^to|^since|^until|^start|^end|deadline)$/u;

/** In every run the forms of a field go by one API and the other in turn. */
const bothWays = countOf(1, 2) === 2;
let turn = 0;
let sent: Args | undefined;
const TOOLS = [...operations, ...workflows].filter(({ input }) => instantPaths(input).length > 0);
/** The handler notes what it gets, and does nothing. */
const NOTED = TOOLS.map((tool) => ({
  ...tool,
  handle: (_ctx: unknown, input: Args) => {
    sent = input;
    throw ruleViolated('Noted.');
  },
})) as unknown as Tool[];

describe('an instant in an input', () => {
  let app: TestApp<Clock>;
  let rest: RestApi;
  let mcp: McpApi;
  let call: Awaited<ReturnType<McpApi['client']>>;
  before(async () => {
    app = await startTestApp<Clock>({ clock: systemClock, tools: NOTED, timezone: 'Europe/Zurich' });
    await app.store.tx((tx) => tx.insert('schedules', { timezone: 'America/New_York' } as never));
    mcp = await startMcpApi(undefined, { app });
    rest = await openRestApi(app);
    call = await mcp.client();
  });
  after(async () => {
    await mcp.close();
    await app.close();
  });

  it('is read in one way: no input has a format of its own', () => {
    for (const tool of [...operations, ...workflows]) {
      const read = instantPaths(tool.input).map((path) => path.join('.'));
      for (const [path, { type, format }] of fieldsOf(toJsonSchema(tool.input))) {
        assert.notEqual(format, 'date-time', `${tool.name} ${path}`);
        if (NAMED_SO.test(path) && [type].flat().includes('string')) assert.ok(read.includes(path), tool.name + path);
      }
    }
    assert.ok(TOOLS.length >= 14, String(TOOLS.length));
  });

  for (const tool of TOOLS) {
    for (const path of instantPaths(tool.input)) {
      const field = path.join('.');
      it(`${field} of ${tool.name} takes every form of it, and refuses all else in words, by REST and MCP`, async () => {
        for (const [value, ...means] of FORMS) {
          const args = argsOf(tool, path, value);
          const meant = ('scheduleId' in args ? means[1] : undefined) ?? means[0];
          const { path: address, body } = requestOf(tool, args);
          const byRest = async (): Promise<Args> => {
            const content = body === undefined ? undefined : (JSON.parse(body) as object);
            return (await (await rest.send(routeOf(tool).method, address, { body: content })).json()) as Args;
          };
          const byMcp = async (): Promise<Args> =>
            structured(await call.callTool({ name: tool.name, arguments: args }));
          turn += 1;
          for (const by of [byRest, byMcp].filter((_, at) => bothWays || at === turn % 2)) {
            sent = undefined;
            const { code, detail, errors } = (await by()) as { code: string; detail: string; errors?: Args[] };
            const about = `${by.name} ${JSON.stringify(value)}: ${detail}`;
            const read: unknown = path.reduce<unknown>((inner, name) => (inner as Args | undefined)?.[name], sent);
            assert.equal(code, typeof meant === 'string' ? 'rule_violated' : 'invalid_input', about);
            if (typeof meant === 'string') assert.equal(read, meant, about);
            else assert.match(detail, meant, about);
            if (typeof meant !== 'string')
              assert.deepEqual(
                errors?.map((issue) => issue['field']),
                [field],
                about,
              );
          }
        }
      });
    }
  }
});

/** The path of each field in the objects of a schema. */
function fieldsOf(schema: JsonSchema, before = ''): [string, JsonSchema][] {
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(([name, field]) => [
    [before + name, field],
    ...fieldsOf(field, `${before}${name}.`),
  ]);
}

/** The fields that the operation needs, with the value at the path. */
function argsOf({ input }: Tool, [name = '', ...rest]: readonly string[], value: unknown): Args {
  const { required = [], properties = {} } = toJsonSchema(input) as {
    required?: string[];
    properties?: Record<string, JsonSchema>;
  };
  const needed = required.map((field): [string, unknown] => {
    const { type, enum: words } = properties[field]!;
    return [field, (words as unknown[] | undefined)?.[0] ?? (type === 'string' ? 'x' : type === 'object' ? {} : 1)];
  });
  return { ...Object.fromEntries(needed), [name]: rest.reduceRight((inner, key) => ({ [key]: inner }), value) };
}
