/** Where an agent is found. */
import { join, resolve } from 'node:path';
import { socketPath } from '../run-dir.ts';
import type { AgentHealth } from './door.ts';
import { readJson } from './run-record.ts';

/** `<device>/agent.json`: who the agent is, and which port the next one should have. */
export interface AgentRecord extends AgentHealth {
  socket: string;
}

export function agentSocket(deviceDir: string): string {
  return socketPath(join(resolve(deviceDir), 'agent.sock'));
}

export function agentRecordFile(deviceDir: string): string {
  return join(resolve(deviceDir), 'agent.json');
}

/** Present while the Device was stopped by hand. */
export function parkedFile(deviceDir: string): string {
  return join(resolve(deviceDir), 'stopped');
}

export function readAgentRecord(deviceDir: string): AgentRecord | undefined {
  const record = readJson(agentRecordFile(deviceDir)) as Partial<AgentRecord> | undefined;
  return Number.isSafeInteger(record?.pid) && typeof record?.mediaUrl === 'string'
    ? (record as AgentRecord)
    : undefined;
}
