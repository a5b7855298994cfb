import { z } from 'zod/v3';

/** The schema without its wrappers for optional, nullable, default and checked values. */
export function bareSchema(schema: z.ZodTypeAny): z.ZodTypeAny {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return bareSchema(schema.unwrap() as z.ZodTypeAny);
  if (schema instanceof z.ZodDefault) return bareSchema(schema.removeDefault() as z.ZodTypeAny);
  return schema instanceof z.ZodEffects ? bareSchema(schema.innerType() as z.ZodTypeAny) : schema;
}
