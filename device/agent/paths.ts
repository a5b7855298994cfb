/** Files of an agent in its Device directory. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { networkCards } from '../../linux/network-cards.ts';
import { bootId } from '../process.ts';
import { socketPath } from '../run-dir.ts';
import { readJson } from '../atomic-file.ts';

/** The running agent and its delivery, as it answers them. */
export interface AgentHealth {
  pid: number;
  startTicks: number;
  mediaUrl: string;
  mediaPort: number;
  /** See AgentOptions.program; an agent of an earlier version has none. */
  program?: string | undefined;
}

/** `<device>/agent.json`: the agent's identity, and the port that the next one should have. */
export interface AgentRecord extends AgentHealth {
  socket: string;
  /** A pid of an earlier boot may be anybody's, and so may its start time. */
  bootId: string;
  /** Inode of the Device folder: another one says that this folder is a copy. Left out by earlier versions. */
  folder?: number;
  /** Addresses of the network cards of its machine. Left out by earlier versions. */
  cards?: string[];
}

export interface FormerLife {
  /** The folder is a copy of the one that the last agent had. */
  isCopy: boolean;
  /** The machine was booted since, and has none of the network cards that the last agent had seen: the disk is a copy, or was moved. */
  isOtherMachine: boolean;
}

/** Compares the record of the last agent with this start. */
export function formerLife(deviceDir: string): FormerLife {
  const record = readJson(agentRecordFile(deviceDir)) as Partial<AgentRecord> | undefined;
  const isOtherBoot = record?.bootId !== bootId();
  const [cards, before] = [networkCards(), record?.cards ?? []];
  const areOther = cards.length > 0 && before.length > 0 && !before.some((card) => cards.includes(card));
  return {
    isCopy: record?.folder !== undefined && record.folder !== folderId(deviceDir),
    // Cards of a machine that runs may be changed, and so may its broadcasts be on air.
    isOtherMachine: isOtherBoot && areOther,
  };
}

export function folderId(deviceDir: string): number {
  return statSync(deviceDir).ino;
}

export function agentSocket(deviceDir: string): string {
  return socketPath(join(resolve(deviceDir), 'agent.sock'));
}

/** For servers on other machines, whose calls the server of this machine passes on. */
export function memberSocket(deviceDir: string): string {
  return socketPath(join(resolve(deviceDir), 'members.sock'));
}

export function agentRecordFile(deviceDir: string): string {
  return join(resolve(deviceDir), 'agent.json');
}

/** Output of the agent process itself. */
export function agentLogFile(deviceDir: string): string {
  return join(resolve(deviceDir), 'agent.log');
}

/** The file is there while the Device is stopped by hand. */
export function stoppedFile(deviceDir: string): string {
  return join(resolve(deviceDir), 'stopped');
}

/** The record of the last agent in this boot. */
export function readAgentRecord(deviceDir: string): AgentRecord | undefined {
  const record = readJson(agentRecordFile(deviceDir)) as Partial<AgentRecord> | undefined;
  return record?.bootId === bootId() && Number.isSafeInteger(record.pid) && typeof record.mediaUrl === 'string'
    ? (record as AgentRecord)
    : undefined;
}

/** The media port of the last agent, even of an earlier boot, so that players keep their address; 0 when none is known. */
export function formerMediaPort(deviceDir: string): number {
  const record = readJson(agentRecordFile(deviceDir)) as Partial<AgentRecord> | undefined;
  return Number.isSafeInteger(record?.mediaPort) ? record!.mediaPort! : 0;
}
