/** Rows of Devices that can take starts, and of Live streams that are on air there, straight into a store. */
import type { Run } from '../../domain/shapes/broadcasts/run.ts';
import type { Tx } from '../../domain/ports/store.ts';
import { FAKE_CAPABILITIES } from './fake-device.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** Answers its id. */
export function addDevice(tx: Tx, number: number, cores: number): number {
  const stamps = { created_at: AT, updated_at: AT };
  const machine = { cores, slots: 20, capabilities: FAKE_CAPABILITIES, storage: [] };
  const row = { name: `enc ${number}`, type: 'server', ip_address: null, enabled: true, online: true };
  return tx.insert('devices', { ...row, ...machine, ...stamps } as never).id;
}

/** The run of this Live stream, on air at this Device. */
export function runAt(id: number, deviceId: number, more: Partial<Run> = {}): Run {
  const state = { desired: 'on', status: 2, errorstatus: null, since: AT, started_at: AT, runId: `run-${id}` } as const;
  const bound = { startConfig: [], boundPublishings: [], boundEncodings: [] };
  const rest = { scheduleId: null, requested_by: 'admin', lastEventSeq: 0 };
  return { id, ...state, deviceId, slot: 1, cost: 0.5, ...bound, ...rest, ...more };
}
