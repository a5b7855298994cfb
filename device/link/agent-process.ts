/** Starts the Device agent of this machine as a process of its own, and again whenever it dies. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { DeviceLink } from '../../domain/device-link.ts';
import { openLogFile } from '../log-file.ts';
import { isAlive, killExact, processorUse } from '../process.ts';
import { keepNetworks, NOT_KEPT } from '../network-rules.ts';
import { selfCommand } from '../self-command.ts';
import type { AgentHealth } from '../agent/agent-api.ts';
import { connectDevice } from './agent-link.ts';
import type { Log } from '../log.ts';
import { removePairing } from '../agent/pairing.ts';
import { agentLogFile, agentSocket, stoppedFile, readAgentRecord } from '../agent/paths.ts';
import type { Credentials } from '../agent/psk.ts';
import { callSocket, followLines } from '../socket-http.ts';

export interface EnsureOptions {
  deviceDir: string;
  host: string;
  mediaPort: number;
  /** What --config named, for the agent that is started. */
  settingsFile?: string | undefined;
  /** ONAIR_SOURCE_NETWORKS of who keeps the agent: it takes the place of that of an earlier start. */
  sourceNetworks?: string | undefined;
  log: Log;
}

export interface AgentLink extends DeviceLink {
  /** Of the agent's HTTP delivery; another one after a restart only if its port was taken meanwhile. */
  readonly mediaUrl: string;
  readonly socket: string;
}

export interface KeptAgent {
  link: AgentLink;
  /** Ends the keeping; the agent goes on. */
  close(): void;
}

/** From spawn to the first answer: 0.3–1 s, more on a machine at its limits. */
const START_MS = 15_000;
const HEALTH_MS = 1000;
/** An agent that says nothing for so long hangs: it sends a heartbeat every second and answers /health in some ms. */
const FROZEN_MS = 3000;
/** One that uses a processor, or waits for one, is late with its heartbeats and not hung: longest that it is waited for. */
const BUSY_MS = 30_000;
const RETRY_MS = 500;

/** Resolves when an agent answers: the one that runs, or a new one. Rejects with AppError unavailable. */
export async function ensureAgent(options: EnsureOptions): Promise<AgentLink> {
  const socket = agentSocket(options.deviceDir);
  let health = await ensureRunning(options, socket);
  const link: DeviceLink = connectDevice({ socket, log: options.log });
  return Object.defineProperties(link as AgentLink, {
    socket: { value: socket, enumerable: true },
    // Asked of the record, not of memory: a later agent may have another port.
    mediaUrl: { get: () => (health = readAgentRecord(options.deviceDir) ?? health).mediaUrl, enumerable: true },
  });
}

/** As ensureAgent, and goes on: an agent that ends or hangs is replaced at once, until `close`. */
export async function superviseAgent(options: EnsureOptions): Promise<KeptAgent> {
  const link = await ensureAgent(options);
  const { socket } = link;
  const closed = new AbortController();
  let leave: () => void = () => undefined;

  const raiseAgain = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      try {
        if (!isStoppedByHand(options.deviceDir)) await ensureRunning(options, socket);
        else if ((await askHealth(socket)) === undefined) {
          // Stopped by hand: it is waited for, not brought back.
          await delay(RETRY_MS, undefined, { signal: closed.signal }).catch(() => undefined);
          continue;
        }
        return follow();
      } catch (error) {
        options.log.error({ err: error }, 'The Device agent could not be started; it is tried again.');
        await delay(RETRY_MS, undefined, { signal: closed.signal }).catch(() => undefined);
      }
    }
  };
  const follow = (): void => {
    if (closed.signal.aborted) return;
    leave = followLines({
      socket,
      path: '/alive',
      silenceMs: FROZEN_MS,
      onLine: () => undefined,
      onClose: (reason) => {
        options.log.warn(
          { reason },
          'The Device agent does not answer; broadcasts stay on air, it is started again where it has gone.',
        );
        void raiseAgain();
      },
    });
  };
  follow();
  return {
    link,
    close: () => {
      closed.abort();
      leave();
    },
  };
}

/** Whether a person stopped the Device: `stop` leaves a mark that the next agent takes away. */
function isStoppedByHand(deviceDir: string): boolean {
  return existsSync(stoppedFile(deviceDir));
}

/**
 * `stop` ends every run first, and the agent then stays away, whoever keeps it, until it or a control plane is started anew.
 * Resolves when the agent has answered, at most some 10 s later; false when none runs.
 */
export async function shutdownAgent(deviceDir: string, runs: 'keep' | 'stop'): Promise<boolean> {
  const mark = stoppedFile(deviceDir);
  if (runs === 'stop' && existsSync(deviceDir)) writeFileSync(mark, '');
  try {
    const call = {
      socket: agentSocket(deviceDir),
      method: 'POST',
      path: '/shutdown',
      body: { runs },
      timeoutMs: 12_000,
    } as const;
    const reply = await callSocket(call);
    if (reply.status === 200) return true;
    const { detail } = (reply.body ?? {}) as { detail?: string };
    throw new AppError('unavailable', detail ?? 'The Device agent could not end.');
  } catch (error) {
    if (isAbsent(error)) return false;
    // It still runs: should it die later, it is to be brought back.
    rmSync(mark, { force: true });
    throw error instanceof AppError
      ? error
      : new AppError('timeout', 'The Device agent did not end in time.', { cause: error });
  }
}

/**
 * Forgets the control plane that the agent is paired with. Answers the new one-time credentials of a running agent that listens; null
 * of one that does not; undefined when none runs: its next start shows them.
 */
export async function unpairAgent(deviceDir: string): Promise<Credentials | null | undefined> {
  const dir = resolve(deviceDir);
  try {
    const reply = await callSocket({ socket: agentSocket(dir), method: 'DELETE', path: '/pairing', timeoutMs: 5000 });
    if (reply.status === 200) return reply.body as Credentials | null;
    throw new AppError('unavailable', 'The Device agent could not be unpaired; see its log.');
  } catch (error) {
    if (!isAbsent(error)) throw error;
    await removePairing(dir);
    return undefined;
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function askHealth(socket: string): Promise<AgentHealth | undefined> {
  try {
    const reply = await callSocket({ socket, method: 'GET', path: '/health', timeoutMs: HEALTH_MS });
    return reply.status === 200 ? (reply.body as AgentHealth) : undefined;
  } catch {
    return undefined;
  }
}

async function ensureRunning(options: EnsureOptions, socket: string): Promise<AgentHealth> {
  const running = (await askHealth(socket)) ?? (await endFrozen(options, socket));
  if (running !== undefined) {
    if (!keepNetworks(options.deviceDir, options.sourceNetworks)) options.log.warn({}, NOT_KEPT);
    return running;
  }
  const gone = start(options);
  const deadline = performance.now() + START_MS;
  for (;;) {
    const health = await askHealth(socket);
    if (health !== undefined) return health;
    // Two servers may raise an agent at once: the loser's ends, the winner's answers a moment later.
    if (gone.how !== undefined && performance.now() > gone.at + HEALTH_MS) {
      throw new AppError(
        'unavailable',
        `The Device agent ended at once (${gone.how}). See ${agentLogFile(options.deviceDir)}.`,
      );
    }
    if (performance.now() > deadline) {
      throw new AppError(
        'unavailable',
        `The Device agent did not answer within ${START_MS / 1000} s. See ${agentLogFile(options.deviceDir)}.`,
      );
    }
    await delay(20);
  }
}

/**
 * Holds its lock and cannot be asked to leave. Its runners stay on air and are adopted by the next agent. Answers the health of one that
 * was only late.
 */
async function endFrozen({ deviceDir, log }: EnsureOptions, socket: string): Promise<AgentHealth | undefined> {
  const record = readAgentRecord(deviceDir);
  if (record === undefined) return undefined;
  const { pid, startTicks } = record;
  const begun = performance.now();
  let lastUse = begun;
  let ticks = processorUse(pid)?.ticks;
  while (isAlive(pid, startTicks)) {
    const health = await askHealth(socket);
    if (health !== undefined) return health;
    const now = performance.now();
    const use = processorUse(pid);
    if (use?.wantsMore === true || use?.ticks !== ticks) lastUse = now;
    ticks = use?.ticks;
    if (now - lastUse > FROZEN_MS || now - begun > BUSY_MS) {
      log.warn({ pid }, 'The Device agent lives but does not answer; it is killed.');
      killExact(pid, startTicks, 'SIGKILL');
    }
    await delay(50);
  }
  return undefined;
}

function start({ deviceDir, host, mediaPort, settingsFile }: EnsureOptions): { how: string | undefined; at: number } {
  const dir = resolve(deviceDir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const log = openLogFile(agentLogFile(dir));
  const end: { how: string | undefined; at: number } = { how: undefined, at: 0 };
  const note = (how: string): void => void Object.assign(end, { how, at: performance.now() });
  try {
    const settings = settingsFile === undefined ? [] : ['--config', settingsFile];
    const flags = [...settings, '--dir', dir, '--host', host, '--media-port', String(mediaPort)];
    const [command, args] = selfCommand('device', ...flags);
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: withoutSecrets(process.env),
    });
    child.once('error', (error) => note(error.message));
    child.once('exit', (code, signal) => note(signal ?? `exit code ${code}`));
    child.unref();
  } finally {
    closeSync(log);
  }
  return end;
}

/** Tokens of the control plane are none of the agent's business: what it starts inherits its environment. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/TOKEN|PASSWORD|SECRET/iu.test(name)));
}
