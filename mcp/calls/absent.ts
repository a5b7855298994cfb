/** Nulls in the arguments of a call: a model writes one where it means nothing. */
import { z } from 'zod/v3';
import { bareSchema } from '../../toolkit/input/bare-schema.ts';

type Fields = Record<string, unknown>;

/** Leaves out each null of a field that may be left out and takes none. Where a field takes null, it has a meaning of its own: it clears. */
export function withoutAbsent(schema: z.ZodTypeAny, args: Fields): Fields {
  const shape = shapeOf(schema);
  if (shape === undefined) return args;
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => {
      // A caller may name a field as a member that every object has: constructor.
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (field === undefined) return [[name, value]];
      if (value !== null) return [[name, within(field, value)]];
      return field.isOptional() && !field.isNullable() ? [] : [[name, value]];
    }),
  );
}

function within(field: z.ZodTypeAny, value: unknown): unknown {
  const bare = bareSchema(field);
  if (Array.isArray(value)) return bare instanceof z.ZodArray ? value.map((each) => within(bare.element, each)) : value;
  return typeof value === 'object' && value !== null ? withoutAbsent(bare, value as Fields) : value;
}

function shapeOf(schema: z.ZodTypeAny): z.ZodRawShape | undefined {
  const bare = bareSchema(schema);
  return bare instanceof z.ZodObject ? (bare.shape as z.ZodRawShape) : undefined;
}
