/** Starts the Device agent of this machine as a process of its own, and again whenever it dies. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isShortage } from '../../domain/base/absent.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { DeviceLink } from '../../domain/ports/device-link.ts';
import { pause } from '../../domain/time/pause.ts';
import { writeForOwner } from '../atomic-file.ts';
import { agentEnvironment } from '../environment.ts';
import { openLogFile } from '../log-file.ts';
import { isAlive, killExact, ProcessorWatch } from '../process.ts';
import { keepNetworks, NOT_KEPT } from '../network-rules.ts';
import { selfCommand } from '../self-command.ts';
import { connectDevice } from './agent-link.ts';
import type { Log } from '../../domain/base/log.ts';
import { removePairing } from '../agent/pairing.ts';
import {
  agentLogFile,
  agentSocket,
  memberSocket,
  readAgentRecord,
  stoppedFile,
  type AgentHealth,
} from '../agent/paths.ts';
import type { Credentials } from '../agent/psk.ts';
import { callSocket, followLines } from '../socket-http.ts';

export interface EnsureOptions {
  deviceDir: string;
  host: string;
  mediaPort: number;
  /** The file that --config named; the agent reads it too. */
  settingsFile?: string | undefined;
  /** Paths of the files that the agent's HTTP delivery speaks TLS with. */
  tls?: { certificate: string; key: string } | undefined;
  /** The identity that the agent must have (AgentOptions.program); left out: any will do. */
  program?: string | undefined;
  /** ONAIR_SOURCE_NETWORKS of the process that supervises the agent; it replaces the value of an earlier start. */
  sourceNetworks?: string | undefined;
  log: Log;
}

export interface LocalAgent {
  readonly link: DeviceLink;
  readonly socket: string;
  /** URL of the agent's HTTP delivery; a restart changes it only if the port was taken meanwhile. */
  readonly mediaUrl: string;
}

export interface SupervisedAgent extends LocalAgent {
  /** Ends the supervision; the agent goes on. */
  close(): void;
}

/** A start takes 0.3–1 s from spawn to the first answer. On a machine at its limits it takes more, while the agent uses a processor. */
const [START_MS, SLOW_START_MS] = [15_000, 120_000];
const HEALTH_MS = 1000;
/** An agent sends a heartbeat every second and answers /health in some ms; one that is silent for so long hangs. */
const FROZEN_MS = 3000;
/**
 * An agent that uses a processor, or waits for one, is late with its heartbeats and does not hang; it is waited for no longer than this.
 */
const BUSY_MS = 30_000;
const RETRY_MS = 500;

/** Resolves when an agent answers: the one that runs, or a new one. Rejects with AppError unavailable. */
export async function ensureAgent(options: EnsureOptions): Promise<LocalAgent> {
  const socket = agentSocket(options.deviceDir);
  let health = await ensureRunning(options, socket);
  return {
    link: {
      ...connectDevice({ socket, log: options.log }),
      channel: () => connect(memberSocket(options.deviceDir)).on('error', () => undefined),
    },
    socket,
    // The record is read each time: a later agent may have another port.
    get mediaUrl() {
      health = readAgentRecord(options.deviceDir) ?? health;
      return health.mediaUrl;
    },
  };
}

/** Ensures an agent and, until `close`, replaces one that ends or hangs at once. Rejects as `ensureAgent` does. */
export async function superviseAgent(options: EnsureOptions): Promise<SupervisedAgent> {
  const agent = await ensureAgent(options);
  const { link, socket } = agent;
  const closed = new AbortController();
  let leave: () => void = () => undefined;

  const restart = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      try {
        if (!isStoppedByHand(options.deviceDir)) await ensureRunning(options, socket);
        else if ((await askHealth(socket)) === undefined) {
          // An agent that a person stopped is waited for, and not started.
          await pause(RETRY_MS, closed.signal);
          continue;
        }
        return follow();
      } catch (error) {
        options.log.error({ err: error }, 'The Device agent could not be started; it is tried again.');
        await pause(RETRY_MS, closed.signal);
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
        void restart();
      },
    });
  };
  follow();
  return {
    link,
    socket,
    get mediaUrl() {
      return agent.mediaUrl;
    },
    close() {
      closed.abort();
      leave();
    },
  };
}

/** Tells whether a person stopped the Device: `stop` leaves a mark that the next agent takes away. */
function isStoppedByHand(deviceDir: string): boolean {
  return existsSync(stoppedFile(deviceDir));
}

/**
 * `stop` ends every run first, and then no supervisor starts the agent again until the agent or a control plane is started anew. Resolves
 * when the agent has answered, at most some 10 s later; false when none runs.
 */
export async function shutdownAgent(deviceDir: string, runs: 'keep' | 'stop'): Promise<boolean> {
  const mark = stoppedFile(deviceDir);
  if (runs === 'stop' && existsSync(deviceDir)) writeForOwner(mark, '');
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
    // The agent still runs: should it die later, it has to be started again.
    rmSync(mark, { force: true });
    throw error instanceof AppError
      ? error
      : new AppError('timeout', 'The Device agent did not end in time.', { cause: error });
  }
}

/**
 * Forgets the control plane that the agent is paired with. Resolves with the new one-time credentials of a running agent that listens, with
 * null for one that does not, and with undefined when none runs: its next start shows new ones.
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
  } catch (error) {
    // Its caller starts an agent, or ends the one that does not answer, and reports what fails then. A server without a free descriptor has
    // asked nobody.
    if (isShortage(error)) throw error;
    return undefined;
  }
}

async function ensureRunning(options: EnsureOptions, socket: string): Promise<AgentHealth> {
  const running = (await askHealth(socket)) ?? (await endFrozen(options, socket));
  if (running !== undefined && !(await isReplaced(options, running))) {
    if (!keepNetworks(options.deviceDir, options.sourceNetworks)) options.log.warn({}, NOT_KEPT);
    return running;
  }
  const end = start(options);
  const begun = performance.now();
  const watch = new ProcessorWatch(end.pid);
  for (;;) {
    const health = await askHealth(socket);
    if (health !== undefined) return health;
    // Two servers may start an agent at once: the loser's ends, and the winner's answers a moment later.
    if (end.how !== undefined && performance.now() > end.at + HEALTH_MS) {
      throw new AppError(
        'unavailable',
        `The Device agent ended at once (${end.how}). See ${agentLogFile(options.deviceDir)}.`,
      );
    }
    const waitedMs = performance.now() - begun;
    if (watch.idleMs() > START_MS || waitedMs > SLOW_START_MS) {
      throw new AppError(
        'unavailable',
        `The Device agent did not answer within ${Math.round(waitedMs / 1000)} s. See ${agentLogFile(options.deviceDir)}.`,
      );
    }
    await delay(20);
  }
}

/** Ends an agent of another program, or with other certificates; its runners stay on air, and the next agent adopts them. */
async function isReplaced({ deviceDir, program, log }: EnsureOptions, running: AgentHealth): Promise<boolean> {
  if (program === undefined || running.program === program) return false;
  log.info({ pid: running.pid }, 'The Device agent is of another program or has other settings; it is replaced.');
  await shutdownAgent(deviceDir, 'keep');
  const until = performance.now() + START_MS;
  while (isAlive(running.pid, running.startTicks) && performance.now() < until) await delay(20);
  return true;
}

/**
 * Ends an agent that has the lock and does not answer. Its runners stay on air, and the next agent adopts them. Resolves with the health of
 * an agent that was only late.
 */
async function endFrozen({ deviceDir, log }: EnsureOptions, socket: string): Promise<AgentHealth | undefined> {
  const record = readAgentRecord(deviceDir);
  if (record === undefined) return undefined;
  const { pid, startTicks } = record;
  const begun = performance.now();
  const watch = new ProcessorWatch(pid);
  while (isAlive(pid, startTicks)) {
    const health = await askHealth(socket);
    if (health !== undefined) return health;
    if (watch.idleMs() > FROZEN_MS || performance.now() - begun > BUSY_MS) {
      log.warn({ pid }, 'The Device agent lives but does not answer; it is killed.');
      killExact(pid, startTicks, 'SIGKILL');
    }
    await delay(50);
  }
  return undefined;
}

/** How and when an agent has ended that was started; `pid` is 0 where no process was made. */
interface AgentStart {
  pid: number;
  how: string | undefined;
  at: number;
}

function start({ deviceDir, host, mediaPort, settingsFile, tls }: EnsureOptions): AgentStart {
  const dir = resolve(deviceDir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const log = openLogFile(agentLogFile(dir));
  const end: AgentStart = { pid: 0, how: undefined, at: 0 };
  const note = (how: string): void => void Object.assign(end, { how, at: performance.now() });
  try {
    const settings = settingsFile === undefined ? [] : ['--config', settingsFile];
    const secure = tls === undefined ? [] : ['--tls-cert', tls.certificate, '--tls-key', tls.key];
    const flags = [...settings, ...secure, '--dir', dir, '--host', host, '--media-port', String(mediaPort)];
    const [command, args] = selfCommand('device', ...flags);
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: agentEnvironment(),
    });
    child.once('error', (error) => note(error.message));
    child.once('exit', (code, signal) => note(signal ?? `exit code ${code}`));
    child.unref();
    end.pid = child.pid ?? 0;
  } finally {
    closeSync(log);
  }
  return end;
}
