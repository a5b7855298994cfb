/**
 * `onair mcp`: the MCP server on stdin and stdout. It answers the greeting and the lists by itself, at once, and forwards every call to the
 * running server, which alone decides: this process can narrow the permissions of its server, never widen them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ROLE } from '../domain/shapes/installation/security.ts';
import type { Profile } from '../toolkit/access.ts';
import type { Catalogue } from '../toolkit/catalogue.ts';
import type { Log } from '../domain/base/log.ts';
import { withCall, type Connection } from './calls/connection.ts';
import { createForward, type Connect } from './forward.ts';
import { instructionsFor } from './calls/instructions.ts';
import { openLineCalls, type LineCalls } from './protocol/line-calls.ts';
import { meantCalls } from './calls/refused-calls.ts';
import { statesRevision, type Message } from './rpc.ts';
import type { Surface } from './calls/surface.ts';
import { openWire, type ProtocolSession, type Send } from './protocol/wire.ts';

export interface StdioDeps {
  profile: Profile;
  /** Finds the IANA zone of the service; undefined where it cannot be known soon. The greeting waits for it. */
  timezone: () => Promise<string | undefined>;
  version: string;
  /** Loads the catalogue with the first list, because the greeting is answered without it. */
  catalogue: () => Promise<Catalogue>;
  connect: Connect;
  log: Log;
}

/** Calls that still run when the client has closed stdin may take this long to answer. */
const DRAIN_MS = 5000;

/** Resolves when the client has gone and its last calls are answered. */
export async function runStdio({ profile, timezone, version, catalogue, connect, log }: StdioDeps): Promise<void> {
  // stdout belongs to the protocol, so the prints of a dependency go to stderr.
  console.log = console.info = console.debug = console.error;
  const requestId = crypto.randomUUID();
  let surface: Promise<Surface> | undefined;
  const forward = createForward({ connect, profileName: profile.name });
  const openConnection = async (): Promise<Connection> => ({
    version,
    log,
    instructions: instructionsFor(profile, await timezone()),
    requestId,
    surface: () => (surface ??= loadSurface(catalogue, profile)),
    call: forward.call,
    read: forward.read,
  });
  const sessions = createSessions(openConnection, log, (message) => wire.send(message));
  const wire = openWire({
    input: process.stdin,
    output: process.stdout,
    requestId,
    receive: (message) => (isCall(calls, message) ? calls : sessions).receive(message),
    onNoise: (reason) => log.warn({}, `skipped on stdin: ${reason}`),
    onRefused(message, error) {
      for (const { operation } of meantCalls(message)) forward.reportRefused(operation);
      return error;
    },
  });
  // Calls of the older generation go past the SDK, which would double their price.
  const calls = openLineCalls((call) => withCall(call, (read) => forward.answerText(read, call.id)), wire);
  await wire.ended;
  await Promise.race([wire.settled(), sleep(DRAIN_MS, undefined, { ref: false })]);
  await sessions.close();
}

function isCall(calls: LineCalls, message: Message): boolean {
  if (message.method === 'notifications/cancelled') return calls.isRunning(message.params?.requestId);
  return message.method === 'tools/call' && message.id !== undefined && !statesRevision(message);
}

/**
 * Loads a protocol with the first message that needs it: an SDK takes a fifth of a second, and a client speaks one generation. The connection
 * is opened while the files of the protocol are read.
 */
function createSessions(
  openConnection: () => Promise<Connection>,
  log: Log,
  send: Send,
): { receive(message: Message): void; close(): Promise<unknown> } {
  const open = new Map<number, Promise<ProtocolSession>>();
  let opened: Promise<Connection> | undefined;
  const connection = (): Promise<Connection> => (opened ??= openConnection());
  const openers = {
    2025: async () => {
      const [protocol, own] = await Promise.all([import('./protocol/protocol-2025.ts'), connection()]);
      return protocol.openSession2025(own, send);
    },
    2026: async () => {
      const [protocol, own] = await Promise.all([import('./protocol/protocol-2026.ts'), connection()]);
      return protocol.openSession2026(own, send);
    },
  };
  const sessionOf = (generation: keyof typeof openers): Promise<ProtocolSession> => {
    const session = open.get(generation) ?? openers[generation]();
    open.set(generation, session);
    return session;
  };
  let last = Promise.resolve();
  return {
    // Messages go one after another, or one could overtake the message whose protocol is being loaded.
    receive: (message) => {
      const generation = statesRevision(message) ? 2026 : 2025;
      last = last
        .then(async () => (await sessionOf(generation)).receive(message))
        .catch((err: unknown) => log.error({ err }, 'MCP message could not be handled'));
    },
    close: () => Promise.all([...open.values()].map(async (session) => (await session).close())),
  };
}

/** The role behind the token is not known here, so the list is that of an administrator, and the server refuses the calls beyond a role. */
async function loadSurface(catalogue: () => Promise<Catalogue>, profile: Profile): Promise<Surface> {
  const [{ buildSurface }, known] = await Promise.all([import('./calls/surface.ts'), catalogue()]);
  return buildSurface(known, profile, ROLE.admin);
}
