/** The call as it should have been, for those who type it: what the MCP server answers beside a refusal. */
import { withCorrection } from '../mcp/corrections.ts';
import { createToolSearch } from '../mcp/search.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';

/** `error` with the corrected call among its facts; as it is where nobody can know what was meant. */
export function correctedCall(
  error: unknown,
  name: string,
  args: Record<string, unknown>,
  catalogue: Catalogue,
): unknown {
  const reach = {
    search: createToolSearch([...catalogue.operations, ...catalogue.workflows]),
    // What the caller may not do is refused when it is called.
    surface: { allows: () => true },
    dispatcher: { catalogue },
  };
  return withCorrection(error, { name, args, isInner: false }, reach);
}
