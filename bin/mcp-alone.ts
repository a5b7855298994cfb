/**
 * The stdio MCP server without the rest. As one file, copied to a machine that has nothing but Node, it speaks to a server elsewhere, and
 * its settings are in the environment: ONAIR_URL, ONAIR_TOKEN, TOOL_PROFILE. `onair mcp` runs it too; it can start the server then.
 */
import { startInBackground } from './server/background.ts';
import { reportFailure } from './failure.ts';
import { mcp } from './mcp.ts';

const isPartOfTheProgram = process.argv[2] === 'mcp';
try {
  await mcp({}, isPartOfTheProgram ? startInBackground : undefined);
} catch (error) {
  reportFailure(error);
}
