/** The definition of a tool as its callers see it: what a change of it changes for them. */
import { toJsonSchema } from '../toolkit/input/json-schema.ts';
import type { Tool } from '../toolkit/tool.ts';

export function definitionOf(tool: Tool): Record<string, unknown> {
  return {
    name: tool.name,
    summary: tool.summary,
    rest: tool.rest ?? null,
    access: tool.access,
    effect: tool.effect,
    input: toJsonSchema(tool.input),
    output: toJsonSchema(tool.output),
  };
}

export function goldenFile(tool: Tool): string {
  return `${JSON.stringify(definitionOf(tool), undefined, 2)}\n`;
}

/** Dotted paths at which two JSON values differ, with both values shortened. */
export function differences(before: unknown, after: unknown, path = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isNode(before) || !isNode(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [`${path || '(all)'}: ${short(before)} → ${short(after)}`];
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const found = keys.flatMap((key) => differences(before[key], after[key], path === '' ? key : `${path}.${key}`));
  return found.length > 0 ? found : [`${path || '(all)'}: other order of ${Object.keys(after).join(', ')}`];
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function short(value: unknown): string {
  const text = value === undefined ? 'none' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
