/**
 * `onair mcp`: the MCP server on stdin and stdout. It answers initialize and tools/list by itself, at once, and hands every call to
 * the running server, which alone decides: this process can narrow what its server allows, never widen it.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
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

/** An Asset of 8 MB in base64 with its frame; the SDK's own bound is just below that. */
const MAX_MESSAGE_BYTES = 12 * 1024 ** 2;
/** What still runs when the client has closed stdin may take this long to answer. */
const DRAIN_MS = 5000;

/** Resolves when the client has gone and its last calls are answered. */
export async function runStdio({ profile, version, catalogue, connect, log }: StdioParts): Promise<void> {
  // stdout is the protocol's: whatever a dependency prints goes to stderr.
  console.log = console.info = console.debug = console.error;
  const forward = createForward({ connect, profileName: profile.name });
  const running = new Set<Promise<unknown>>();
  const tracked = <T>(answer: Promise<T>): Promise<T> => {
    running.add(answer);
    return answer.finally(() => running.delete(answer));
  };
  let list: Promise<readonly ListedTool[]> | undefined;
  const server = createMcpServer({
    version,
    log,
    instructions: instructionsFor(profile),
    list: () => tracked((list ??= loadList(catalogue, profile))),
    call: (call, requestId) => tracked(forward(call, requestId)),
  });
  server.onerror = (error) => log?.warn({ err: error }, 'MCP message could not be handled');
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    // The client has gone: nobody reads the answers any more.
    process.stdout.on('error', () => resolve());
    server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }));
  await ended;
  // A turn for the transport to hand over the last messages, and another for it to write the last answers.
  await nextTurn();
  await Promise.race([Promise.allSettled(running), sleep(DRAIN_MS, undefined, { ref: false })]);
  await nextTurn();
  await server.close();
}

/** The role behind the token is not known here: the list is that of an administrator, and the server refuses what is beyond it. */
async function loadList(catalogue: () => Promise<Catalogue>, profile: Profile): Promise<readonly ListedTool[]> {
  const [{ buildSurface }, known] = await Promise.all([import('./surface.ts'), catalogue()]);
  return buildSurface(known, profile, ROLE.admin).list;
}
