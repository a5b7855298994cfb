/** Checks the answer of a tool against its schema, so that a field which is not declared cannot leak. */
import type { z } from 'zod/v3';
import type { Log } from '../../domain/base/log.ts';
import { isPlain } from '../../domain/base/schema.ts';
import { fitOf } from './fits.ts';
import { laterFields, namesOf, without } from './later-fields.ts';
import { projectRows } from './page.ts';
import type { Tool } from '../tool.ts';

/**
 * Answers the body; a list with only the comma-separated `fields`. What a server of a later version has stored is left out, a row whose values
 * nobody here knows too. Throws Error for an answer outside its schema.
 */
export function checkOutput(tool: Tool, body: unknown, fields: unknown, log: Log): unknown {
  const data = fitOf(tool.output)(body) ? body : parseOutput(tool, body, log);
  if (typeof fields !== 'string') return data;
  const list = data as { rows: Record<string, unknown>[] };
  return { ...list, rows: projectRows(list.rows, fields, Object.keys(elementOf(tool)!.shape)) };
}

function parseOutput(tool: Tool, body: unknown, log: Log): unknown {
  const first = tool.output.safeParse(body);
  if (first.success) return first.data;
  const undeclared = laterFields(body, first.error.issues);
  const known = without(body, undeclared);
  const second = tool.output.safeParse(known);
  const answer = second.success ? second : tool.output.safeParse(withoutLaterRows(tool, known));
  if (!answer.success) {
    const issues = JSON.stringify(answer.error.issues).slice(0, 2000);
    throw new Error(`${tool.name} answered outside its schema: ${issues}`);
  }
  const facts = { operation: tool.name, undeclared: namesOf(undeclared).slice(0, 20), issues: second.error?.issues[0] };
  log.warn(facts, 'An answer had what this version does not know, which was left out; a later one may share the store');
  return answer.data;
}

function withoutLaterRows(tool: Tool, body: unknown): unknown {
  const element = elementOf(tool);
  if (element === undefined || !isPlain(body) || !Array.isArray(body['rows'])) return body;
  return { ...body, rows: body['rows'].filter((row) => element.safeParse(row).success) };
}

/** The schema of the rows of a list. */
function elementOf(tool: Tool): z.AnyZodObject | undefined {
  const { shape } = tool.output as unknown as { shape?: { rows?: { element?: z.AnyZodObject } } };
  return shape?.rows?.element;
}
