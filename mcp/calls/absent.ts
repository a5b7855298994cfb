/** Nulls in the arguments of a call: a model writes one where it means nothing. */
import { z } from 'zod/v3';

type Fields = Record<string, unknown>;

/** Leaves out each null of a field that may be left out and takes none. Where a field takes null, it has a meaning of its own: it clears. */
export function withoutAbsent(schema: z.ZodTypeAny, args: Fields): Fields {
  const shape = shapeOf(schema);
  if (shape === undefined) return args;
  return Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) => {
      const field = shape[name];
      if (field === undefined) return [[name, value]];
      if (value !== null) return [[name, within(field, value)]];
      return field.isOptional() && !field.isNullable() ? [] : [[name, value]];
    }),
  );
}

function within(field: z.ZodTypeAny, value: unknown): unknown {
  const bare = unwrapped(field);
  if (Array.isArray(value)) return bare instanceof z.ZodArray ? value.map((each) => within(bare.element, each)) : value;
  return typeof value === 'object' && value !== null ? withoutAbsent(bare, value as Fields) : value;
}

function shapeOf(schema: z.ZodTypeAny): z.ZodRawShape | undefined {
  const bare = unwrapped(schema);
  return bare instanceof z.ZodObject ? (bare.shape as z.ZodRawShape) : undefined;
}

function unwrapped(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodDefault) return unwrapped(schema.removeDefault() as z.ZodTypeAny);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return unwrapped(schema.unwrap() as z.ZodTypeAny);
  return schema instanceof z.ZodEffects ? unwrapped(schema.innerType() as z.ZodTypeAny) : schema;
}
