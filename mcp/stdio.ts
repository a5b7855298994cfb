/**
 * `onair mcp`: the MCP server on stdin and stdout. It greets and lists by itself, at once, and hands every call to the running server,
 * which alone decides: this process can narrow what its server allows, never widen it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ROLE } from '../domain/security.ts';
import type { Profile } from '../toolkit/access.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import type { Log } from '../toolkit/tool.ts';
import { withCall, type Connection } from './calls/connection.ts';
import { createForward, type Connect, type Forward } from './forward.ts';
import { instructionsFor } from './calls/instructions.ts';
import { openLineSession, type LineSession } from './protocol/line-protocol.ts';
import { meantCalls } from './calls/refused-calls.ts';
import { statesRevision, type Message } from './rpc.ts';
import type { Surface } from './calls/surface.ts';
import { openWire, type ProtocolSession, type Send, type Wire } from './protocol/wire.ts';

export interface StdioParts {
  profile: Profile;
  /** Of the service; undefined where it cannot be known soon. The greeting waits for it. */
  timezone: Promise<string | undefined>;
  version: string;
  /** Loaded when a list is asked for, not before: the greeting is answered without it. */
  catalogue: () => Promise<Catalogue>;
  connect: Connect;
  log: Log;
}

/** What still runs when the client has closed stdin may take this long to answer. */
const DRAIN_MS = 5000;

/** Resolves when the client has gone and its last calls are answered. */
export async function runStdio({ profile, timezone, version, catalogue, connect, log }: StdioParts): Promise<void> {
  // stdout is the protocol's: whatever a dependency prints goes to stderr.
  console.log = console.info = console.debug = console.error;
  const requestId = crypto.randomUUID();
  let surface: Promise<Surface> | undefined;
  const forward = createForward({ connect, profileName: profile.name });
  const connection = timezone.then((zone) => ({
    version,
    log,
    instructions: instructionsFor(profile, zone),
    requestId,
    surface: () => (surface ??= loadSurface(catalogue, profile)),
    call: forward.call,
    read: forward.read,
  }));
  const lanes = createSessions(connection, log, (message) => wire.send(message));
  const wire = openWire({
    input: process.stdin,
    output: process.stdout,
    requestId,
    receive: (message) => (isOf(calls, message) ? calls : lanes).receive(message),
    onNoise: (reason) => log.warn({}, `skipped on stdin: ${reason}`),
    onRefused(message, error) {
      for (const { operation } of meantCalls(message)) forward.tellRefused(operation);
      return error;
    },
  });
  const calls = openCallSession(forward, wire);
  await wire.ended;
  await Promise.race([wire.settled(), sleep(DRAIN_MS, undefined, { ref: false })]);
  await lanes.close();
}

/** Calls of the older generation are handed on as they came and answered as they come back, past the SDK: it would double their price. */
function openCallSession({ callText }: Forward, wire: Wire): LineSession {
  return openLineSession(async (request) => {
    const result = await withCall(request, callText);
    return `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(request.id)}}`;
  }, wire);
}

function isOf(calls: LineSession, message: Message): boolean {
  if (message.method === 'notifications/cancelled') return calls.isRunning(message.params?.requestId);
  return message.method === 'tools/call' && message.id !== undefined && !statesRevision(message);
}

/** Loads a lane with the first message that needs it: an SDK costs a fifth of a second, and a client speaks one generation. */
function createSessions(
  connection: Promise<Connection>,
  log: Log,
  send: Send,
): { receive(message: Message): void; close(): Promise<unknown> } {
  const open = new Map<string, Promise<ProtocolSession>>();
  const openers = {
    handshake: async () => (await import('./protocol/protocol-2025.ts')).openHandshakeSession(await connection, send),
    stateless: async () => (await import('./protocol/protocol-2026.ts')).openStatelessSession(await connection, send),
  };
  const lane = (name: keyof typeof openers): Promise<ProtocolSession> => {
    const present = open.get(name) ?? openers[name]();
    open.set(name, present);
    return present;
  };
  let last = Promise.resolve();
  return {
    // One after another, or a message could overtake the one whose lane is being loaded.
    receive: (message) => {
      const name = statesRevision(message) ? 'stateless' : 'handshake';
      last = last
        .then(async () => (await lane(name)).receive(message))
        .catch((err: unknown) => log.error({ err }, 'MCP message could not be handled'));
    },
    close: () => Promise.all([...open.values()].map(async (opened) => (await opened).close())),
  };
}

/** The role behind the token is not known here: the list is that of an administrator, and the server refuses what is beyond it. */
async function loadSurface(catalogue: () => Promise<Catalogue>, profile: Profile): Promise<Surface> {
  const [{ buildSurface }, known] = await Promise.all([import('./calls/surface.ts'), catalogue()]);
  return buildSurface(known, profile, ROLE.admin);
}
