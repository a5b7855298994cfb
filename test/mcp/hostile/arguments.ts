/** Arguments of every operation, made from its own schema, with one thing in them that nobody means. */
import { toJsonSchema, type JsonSchema } from '../../../toolkit/input/json-schema.ts';
import type { Tool } from '../../../toolkit/tool.ts';
import type { Random } from './random.ts';
import { wordsOf } from '../../helpers/words.ts';

export type Args = Record<string, unknown>;

/** No row has it. Ids of rows that exist are among the victims alone. */
export const NO_ID = 999_999_999;

const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

/** JSON cannot say NaN; what programs send in its place is here. None is the id of a row. */
const SMALL: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  -0,
  NO_ID,
  2 ** 53,
  -(2 ** 63),
  1e308,
  -1e308,
  5e-324,
  ...wordsOf('NaN Infinity -1 1e999 0x10 １２'),
  '',
  ' ',
  '\t\n',
  'null',
  'undefined',
  '[object Object]',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202eabc',
  '\u200b\u2066x',
  '\u{e0041}',
  '\ufeff',
  '\u001b[31m',
  'a\r\nX-Injected: 1',
  '../../../../etc/passwd',
  '..\\..\\windows',
  ...wordsOf('/etc/passwd file:///etc/passwd %2e%2e%2f a/b . .. __proto__ constructor prototype toString'),
  ...wordsOf('hasOwnProperty'),
  "'; DROP TABLE users; --",
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '$(id)',
  '`id`',
  ...wordsOf('|id -rf --help (a+)+$ ^(([a-z])+.)+[A-Z]([a-z])+$ [ *'),
  '\\',
  ...wordsOf('http://[::1 http://169.254.169.254/ javascript:1 2026-02-30T00:00:00Z 9999-99-99'),
  ...wordsOf('+275760-09-13T00:00:00.001Z'),
  'tomorrow 20:00',
  [],
  {},
  [null],
  [[[]]],
  [{}],
  { a: 1 },
  { length: -1 },
  { toString: 1, valueOf: 2 },
  ['__proto__'],
  { then: 'x' },
  deep(20),
  deep(33),
  'x'.repeat(300),
  'é'.repeat(3000),
  'a'.repeat(30_000) + '!',
  Array.from({ length: 300 }, (_, at) => -at),
];
const POLLUTION = ['{"__proto__":{"isAdmin":true,"user_role":1}}', '{"constructor":{"prototype":{"isAdmin":true}}}'];
const NAMES = [
  ...wordsOf('__proto__ constructor toString id created_at user_role a.b'),
  '',
  ' ',
  '\u0000',
  'x'.repeat(500),
  '\u202e',
  'length',
];

export function hostileValue(random: Random): unknown {
  // One of its own each time: what is put inside of it must not be in the next.
  return random.chance(0.06) ? (JSON.parse(random.pick(POLLUTION)) as unknown) : structuredClone(random.pick(SMALL));
}

export function hostileName(random: Random): string {
  return random.pick(NAMES);
}

export interface ArgumentMaker {
  /** Arguments that the operation would take, as far as its schema tells. */
  valid(tool: Tool): Args;
  /** Valid but for one or two things. */
  hostile(tool: Tool): Args;
}

/** `victims` are ids of rows that an update may name, by the name of the parameter. */
export function createArgumentMaker(random: Random, victims: Readonly<Record<string, number>>): ArgumentMaker {
  const schemas = new Map<Tool, JsonSchema>();
  const schemaOf = (tool: Tool): JsonSchema => {
    const known = schemas.get(tool) ?? toJsonSchema(tool.input);
    schemas.set(tool, known);
    return known;
  };

  function valid(tool: Tool): Args {
    const args = sample(schemaOf(tool), '') as Args;
    for (const name of Object.keys(args)) {
      if (!/Ids?$|^idEncoderGroup$/u.test(name)) continue;
      const isVictim = tool.effect === 'update' && victims[name] !== undefined && random.chance(0.5);
      args[name] = isVictim ? victims[name] : NO_ID;
    }
    return args;
  }

  return {
    valid,
    hostile(tool) {
      const args = valid(tool);
      const fields = Object.keys((schemaOf(tool)['properties'] ?? {}) as object);
      for (let times = random.chance(0.2) ? 2 : 1; times > 0; times -= 1) {
        const way = random.below(10);
        if (way < 7 && fields.length > 0) put(args, random.pick(fields), random);
        else if (way < 9) set(args, hostileName(random), hostileValue(random));
        else delete args[random.pick(fields.length > 0 ? fields : ['none'])];
      }
      return args;
    },
  };
}

/** In the place of the field, or somewhere inside it. */
function put(args: Args, field: string, random: Random): void {
  const inside = Object.hasOwn(args, field) ? args[field] : undefined;
  if (typeof inside === 'object' && inside !== null && random.chance(0.6)) {
    const keys = Object.keys(inside);
    // The length of a list cannot be set to what is no length.
    const isKnown = keys.length > 0 && (Array.isArray(inside) || random.chance(0.8));
    const key = isKnown ? random.pick(keys) : Array.isArray(inside) ? '0' : hostileName(random);
    put(inside as Args, key, random);
  } else set(args, field, hostileValue(random));
}

/** An own property whatever its name is, as JSON.parse makes one. */
function set(args: Args, name: string, value: unknown): void {
  Object.defineProperty(args, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The first thing that the schema allows; optional fields are given too where they are plain, so that they can be spoilt. */
function sample(schema: JsonSchema, name: string): unknown {
  const { type, enum: words, anyOf, oneOf, properties, items, required = [] } = schema as Record<string, any>;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(words)) return words[0];
  if (Array.isArray(anyOf ?? oneOf)) return sample((anyOf ?? oneOf)[0], name);
  const kind: unknown = Array.isArray(type) ? type[0] : type;
  if (kind === 'object') {
    const wanted = Object.entries((properties ?? {}) as Record<string, JsonSchema>).filter(
      ([field, inner]) => required.includes(field) || inner['type'] === 'object',
    );
    return Object.fromEntries(wanted.map(([field, inner]) => [field, sample(inner, field)]));
  }
  if (kind === 'array') return items === undefined ? [] : [sample(items, name)];
  if (kind === 'boolean') return false;
  if (kind === 'integer' || kind === 'number')
    return /Ids?$|^elements$|^devices$/u.test(name) ? NO_ID : Number(schema['minimum'] ?? 1);
  return sampleText(schema, name);
}

function sampleText({ format, minLength }: JsonSchema, name: string): string {
  if (format === 'date-time') return '2099-01-01T00:00:00Z';
  if (format === 'email') return 'nobody@example.org';
  // The discard port: nobody listens there.
  if (/url|endpoint|host$/u.test(name)) return 'http://127.0.0.1:9/';
  if (name === 'ip_address') return '127.0.0.1:9';
  if (name === 'livestream' || name === 'destination') return 'No such thing at all';
  return `twin-${'x'.repeat(Math.max(0, Number(minLength ?? 1) - 5))}`;
}
