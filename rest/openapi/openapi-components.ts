/** Schemas that the OpenAPI description has once and refers to: answers and bodies by name, and objects that are nested in two of them. */
import type { JsonSchema } from '../../toolkit/input/json-schema.ts';
import { wordsFor } from './openapi-words.ts';

/** Nested objects that have one name wherever they are. */
const FIXED_NAMES: Readonly<Record<string, string>> = { pagination: 'Pagination' };

export interface Root {
  /** Names to try in this order; a name that means another shape already is passed over. An envelope has none and is written where it is used. */
  names: readonly string[];
  schema: JsonSchema;
}

export class Components {
  private readonly nameOf = new Map<string, string>();
  private readonly shapeOf = new Map<string, JsonSchema>();
  private readonly occurrences = new Map<string, { times: number; path: string; shape: JsonSchema }>();

  constructor(roots: readonly Root[]) {
    for (const { names, schema } of roots) this.name(names, schema);
    for (const { names, schema } of roots) {
      if (names[0] !== undefined) this.count(schema, names[0]);
      else for (const [name, field] of Object.entries(propertiesOf(schema))) this.count(field, pathTo('', name));
    }
    for (const [text, { times, path, shape }] of this.occurrences) {
      if (times > 1 && !this.nameOf.has(text)) this.take(text, path, shape);
    }
  }

  /** The schema with every named object in it replaced by a reference. */
  refer(schema: JsonSchema): JsonSchema {
    const name = isObject(schema) ? this.nameOf.get(textOf(schema)) : undefined;
    if (name === undefined) return this.inside(schema);
    const { description, default: initial } = schema;
    const $ref = `#/components/schemas/${name}`;
    return {
      ...(isNullable(schema) ? { anyOf: [{ $ref }, { type: 'null' }] } : { $ref }),
      ...(description !== undefined && { description }),
      ...(initial !== undefined && { default: initial }),
    };
  }

  schemas(): Record<string, JsonSchema> {
    const entries = [...this.shapeOf].map(([name, shape]) => [name, this.inside(shape)] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private name(names: readonly string[], schema: JsonSchema): void {
    const text = textOf(schema);
    if (!isObject(schema) || this.nameOf.has(text)) return;
    const name = names.find((wanted) => !this.shapeOf.has(wanted));
    if (name !== undefined) this.take(text, name, schema);
  }

  /** The first path to a shape names it; another shape of that name becomes an entry, or gets the next number. */
  private take(text: string, wanted: string, shape: JsonSchema): void {
    let name = this.shapeOf.has(wanted) ? `${wanted}Entry` : wanted;
    for (let next = 2; this.shapeOf.has(name); next += 1) name = `${wanted}${next}`;
    this.nameOf.set(text, name);
    // Whether it may be null is said where it is referred to.
    const { type } = shape;
    this.shapeOf.set(name, Array.isArray(type) ? { ...shape, type: type[0] as unknown } : shape);
  }

  /** Each shape is entered once: an object that is nested in a shape which is used ten times is still in one place. */
  private count(schema: JsonSchema, path: string): void {
    if (isObject(schema)) {
      const text = textOf(schema);
      const occurrence = this.occurrences.get(text);
      if (occurrence !== undefined) {
        occurrence.times += 1;
        return;
      }
      this.occurrences.set(text, { times: 1, path: this.nameOf.get(text) ?? path, shape: schema });
    }
    const here = this.nameOf.get(textOf(schema)) ?? path;
    for (const [name, field] of Object.entries(propertiesOf(schema))) this.count(field, pathTo(here, name));
    for (const inner of branchesOf(schema)) this.count(inner, singular(here));
  }

  private inside(schema: JsonSchema): JsonSchema {
    const { properties, items, anyOf, ...rest } = schema;
    return {
      ...rest,
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(propertiesOf(schema)).map(([name, field]) => [name, described(name, this.refer(field))]),
        ),
      }),
      ...(isSchema(items) && { items: this.refer(items) }),
      ...(Array.isArray(anyOf) && { anyOf: (anyOf as JsonSchema[]).map((branch) => this.refer(branch)) }),
    };
  }
}

export function pascal(name: string): string {
  return name.replace(/(?:^|[^a-zA-Z\d]+)([a-zA-Z\d])/gu, (_match, letter: string) => letter.toUpperCase());
}

function described(name: string, field: JsonSchema): JsonSchema {
  const words = field['description'] ?? wordsFor(name);
  return words === undefined ? field : { ...field, description: words };
}

/** `Channels` becomes Channel, `Licenses` becomes License; `Status` stays. */
export function singular(name: string): string {
  return name.replace(/ies$/u, 'y').replace(/([^su])s$/u, '$1');
}

function pathTo(parent: string, name: string): string {
  return FIXED_NAMES[name] ?? `${parent}${pascal(name)}`;
}

export function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema['properties'] ?? {}) as Record<string, JsonSchema>;
}

export function isNullable(schema: JsonSchema): boolean {
  return Array.isArray(schema['type']) && schema['type'].includes('null');
}

function branchesOf(schema: JsonSchema): JsonSchema[] {
  const { items, anyOf } = schema;
  return [...(isSchema(items) ? [items] : []), ...(Array.isArray(anyOf) ? (anyOf as JsonSchema[]) : [])];
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObject(schema: JsonSchema): boolean {
  return Object.keys(propertiesOf(schema)).length > 0;
}

/** The text of a shape, without its description where it is used and without whether it may be null there. */
function textOf(schema: JsonSchema): string {
  const { description: _words, default: _initial, type, ...rest } = schema;
  return JSON.stringify({ ...rest, type: Array.isArray(type) ? type[0] : type } as object);
}
