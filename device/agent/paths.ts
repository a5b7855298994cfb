/** Where an agent is found. */
import { join, resolve } from 'node:path';
import { bootId } from '../process.ts';
import { socketPath } from '../run-dir.ts';
import { readJson } from '../atomic-file.ts';

/** The running agent and its delivery, as it answers them. */
export interface AgentHealth {
  pid: number;
  startTicks: number;
  mediaUrl: string;
  mediaPort: number;
}

/** `<device>/agent.json`: who the agent is, and which port the next one should have. */
export interface AgentRecord extends AgentHealth {
  socket: string;
  /** A pid of an earlier boot may be anybody's, and its start time too. */
  bootId: string;
}

export function agentSocket(deviceDir: string): string {
  return socketPath(join(resolve(deviceDir), 'agent.sock'));
}

export function agentRecordFile(deviceDir: string): string {
  return join(resolve(deviceDir), 'agent.json');
}

/** Output of the agent process itself. */
export function agentLogFile(deviceDir: string): string {
  return join(resolve(deviceDir), 'agent.log');
}

/** Present while the Device was stopped by hand. */
export function stoppedFile(deviceDir: string): string {
  return join(resolve(deviceDir), 'stopped');
}

/** Of the last agent in this boot. */
export function readAgentRecord(deviceDir: string): AgentRecord | undefined {
  const record = readJson(agentRecordFile(deviceDir)) as Partial<AgentRecord> | undefined;
  return record?.bootId === bootId() && Number.isSafeInteger(record.pid) && typeof record.mediaUrl === 'string'
    ? (record as AgentRecord)
    : undefined;
}

/** Of the last agent, also in an earlier boot: players keep their address. 0 when none is known. */
export function formerMediaPort(deviceDir: string): number {
  const record = readJson(agentRecordFile(deviceDir)) as Partial<AgentRecord> | undefined;
  return Number.isSafeInteger(record?.mediaPort) ? record!.mediaPort! : 0;
}
