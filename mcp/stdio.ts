/**
 * `onair mcp`: the MCP server on stdin and stdout. It answers initialize and tools/list by itself, at once, and hands every call to
 * the running server, which alone decides: this process can narrow what its server allows, never widen it.
 */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ROLE } from '../domain/security.ts';
import type { Profile } from '../toolkit/access.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import type { Log } from '../toolkit/tool.ts';
import { createForward, type ServerAddress } from './forward.ts';
import { instructionsFor } from './instructions.ts';
import { createMcpServer } from './server.ts';
import type { ListedTool } from './surface.ts';

export interface StdioParts {
  profile: Profile;
  version: string;
  /** Loaded when the list is asked for, not before: initialize is answered without it. */
  catalogue: () => Promise<Catalogue>;
  /** Where the server is; may start one. Called with the first tool call, and again when a call does not reach it. */
  connect: () => Promise<ServerAddress>;
  log?: Log;
}

/** Calls that still run when the client has closed stdin may answer for this long. */
const DRAIN_MS = 5000;

/** Resolves when the client has gone and its last calls are answered. */
export async function runStdio({ profile, version, catalogue, connect, log }: StdioParts): Promise<void> {
  // stdout is the protocol's: whatever a dependency prints goes to stderr.
  console.log = console.info = console.debug = console.error;
  const forward = createForward({ connect, profileName: profile.name });
  const running = new Set<Promise<unknown>>();
  let list: Promise<readonly ListedTool[]> | undefined;
  const server = createMcpServer({
    version,
    instructions: instructionsFor(profile),
    list: () => (list ??= loadList(catalogue, profile)),
    call: (call, requestId) => {
      const answer = forward(call, requestId);
      running.add(answer);
      return answer.finally(() => running.delete(answer));
    },
  });
  server.onerror = (error) => log?.warn({ err: error }, 'MCP message could not be handled');
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    // The client has gone: nobody reads the answers any more.
    process.stdout.once('error', () => resolve());
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await Promise.race([Promise.allSettled(running), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
  // One turn for the transport to write the last answers.
  await new Promise((resolve) => setImmediate(resolve));
  await server.close();
}

/** The role behind the token is not known here: the list is that of an administrator, and the server refuses what is beyond it. */
async function loadList(catalogue: () => Promise<Catalogue>, profile: Profile): Promise<readonly ListedTool[]> {
  const [{ buildSurface }, known] = await Promise.all([import('./surface.ts'), catalogue()]);
  return buildSurface(known, profile, ROLE.admin).list;
}
