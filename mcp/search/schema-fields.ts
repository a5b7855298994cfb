/** The fields of an input at every level: `segment_duration` is inside `settings`. */
import { z } from 'zod/v3';
import { bareSchema } from '../../toolkit/input/bare-schema.ts';

export interface SchemaField {
  /** `settings.segment_duration`; the elements of an array add nothing to it. */
  path: string;
  description: string;
}

export function fieldsOf(schema: z.ZodTypeAny, prefix = ''): SchemaField[] {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodArray) return fieldsOf(bare.element as z.ZodTypeAny, prefix);
  if (bare instanceof z.ZodUnion) return (bare.options as z.ZodTypeAny[]).flatMap((option) => fieldsOf(option, prefix));
  if (!(bare instanceof z.ZodObject)) return [];
  return Object.entries(bare.shape as z.ZodRawShape).flatMap(([name, field]) => {
    const path = prefix + name;
    return [{ path, description: descriptionOf(field) }, ...fieldsOf(field, `${path}.`)];
  });
}

function descriptionOf(schema: z.ZodTypeAny): string {
  const own = schema.description;
  if (own !== undefined) return own;
  const { innerType } = schema._def as { innerType?: z.ZodTypeAny };
  return innerType === undefined ? '' : descriptionOf(innerType);
}
