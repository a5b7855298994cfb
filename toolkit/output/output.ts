/** Checks the answer of a tool against its schema, so that a field which is not declared cannot leak. */
import { fitOf } from './fits.ts';
import { projectRows } from './page.ts';
import type { Tool } from '../tool.ts';

/** Answers the body; a list with only the comma-separated `fields`. Throws Error for an answer outside its schema. */
export function checkOutput(tool: Tool, body: unknown, fields: unknown): unknown {
  const data = fitOf(tool.output)(body) ? body : parseOutput(tool, body);
  if (typeof fields !== 'string') return data;
  const list = data as { rows: Record<string, unknown>[] };
  return { ...list, rows: projectRows(list.rows, fields, rowFields(tool)) };
}

function parseOutput(tool: Tool, body: unknown): unknown {
  const parsed = tool.output.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = JSON.stringify(parsed.error.issues).slice(0, 2000);
  throw new Error(`${tool.name} answered outside its schema: ${issues}`);
}

function rowFields(tool: Tool): string[] {
  const list = tool.output as unknown as { shape: { rows: { element: { shape: object } } } };
  return Object.keys(list.shape.rows.element.shape);
}
