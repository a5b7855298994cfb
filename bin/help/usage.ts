/** `onair call <operation> --help` shows what an operation does and the fields that it takes. */
import { z } from 'zod/v3';
import { restOf, type Tool } from '../../toolkit/tool.ts';
import { bare } from '../client/arguments.ts';
import { table } from '../output/table.ts';

export function usageOf(tool: Tool): string {
  const fields = fieldsOf(tool.input, '');
  return [
    `${tool.name} (${restOf(tool)}): ${tool.summary}`,
    tool.description,
    fields.length === 0 ? 'It takes no fields.' : table(['FIELD', 'NEEDED', 'WHAT IT IS'], fields),
  ].join('\n\n');
}

function fieldsOf(object: z.AnyZodObject, path: string): string[][] {
  return Object.entries(object.shape as z.ZodRawShape).flatMap(([name, field]) => {
    const inner = bare(field);
    const line = [`--${path}${name}`, field.isOptional() ? '' : 'yes', field.description ?? inner.description ?? ''];
    return inner instanceof z.ZodObject ? [line, ...fieldsOf(inner as z.AnyZodObject, `${path}${name}.`)] : [line];
  });
}
