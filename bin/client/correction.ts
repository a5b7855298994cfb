/** The corrected call for people who type one: the MCP server answers the same beside a refusal. */
import { z } from 'zod/v3';
import { AppError } from '../../domain/base/errors.ts';
import { withCorrection } from '../../mcp/calls/corrections.ts';
import { createToolSearch } from '../../mcp/search/search.ts';
import type { Catalogue } from '../../toolkit/catalogue.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import { withIds } from '../../toolkit/input/named-ids.ts';
import { lettersOf } from '../../toolkit/input/near-misses.ts';
import type { Read } from '../../toolkit/input/reads.ts';
import type { Tool } from '../../toolkit/tool.ts';

type Fields = Record<string, unknown>;

/**
 * Answers `error` with the corrected call among its facts, or `error` itself where nobody can know what was meant. `args` are undefined
 * where they could not be parsed; `read` looks up names at the server.
 */
export async function correctedCall(
  error: unknown,
  name: string,
  args: Fields | undefined,
  catalogue: Catalogue,
  read: Read,
): Promise<unknown> {
  const reach = {
    search: createToolSearch([...catalogue.operations, ...catalogue.workflows]),
    // A call that the caller may not make is refused when it is made.
    surface: { allows: () => true },
    dispatcher: { catalogue },
  };
  const findings = allFindings(error, catalogue.find(name), args);
  const named = await withIds(findings, { name, args: args ?? {} }, read);
  return withCorrection(named, { name, args, isInner: false }, reach);
}

/** REST reads path, query and body apart, so its findings about one may lack the field of another that was meant. */
function allFindings(error: unknown, tool: Tool | undefined, args: Fields | undefined): unknown {
  if (!(error instanceof AppError) || error.code !== 'invalid_input' || tool === undefined) return error;
  if (error.extras.facts?.['corrected_call'] !== undefined) return error;
  try {
    parseInput(tool.input, args);
    return error;
  } catch (whole) {
    return whole;
  }
}

/** The fields of the tools whose names have the same letters as an unknown name; its arguments are parsed by them. */
export function inputMeant(name: string, { operations, workflows }: Catalogue): z.AnyZodObject {
  const alike = [...operations, ...workflows].filter((tool) => lettersOf(tool.name) === lettersOf(name));
  return z.object(Object.assign({}, ...alike.map(({ input }) => input.shape as z.ZodRawShape)) as z.ZodRawShape);
}
