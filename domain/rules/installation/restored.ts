/**
 * The rows of a restored installation as they are made safe: nothing goes on air by itself, and nothing that another installation of the same
 * rows has on air elsewhere is touched. Everything else stays as it was.
 */
import { toIso } from '../../time/clock.ts';
import { NOT_VALIDATED } from '../../base/validation.ts';
import { STATUS } from '../../shapes/broadcasts/livestream.ts';
import type { Tx } from '../../ports/store.ts';
import { endedRun } from '../broadcasts/run-failure.ts';

/** Names of what a person has to look at. */
export interface Quieted {
  readonly off: number;
  readonly paused: number;
  readonly kept: number;
  /** Devices of other machines, which have to be paired again. */
  readonly devices: readonly string[];
  /** Cloud accounts, which have to be validated again. */
  readonly accounts: readonly string[];
}

export function quiet(tx: Tx, nowMs: number): Quieted {
  const since = toIso(nowMs);
  const runs = tx.find('runs', { where: { status: { notIn: [STATUS.stopped] } } }).rows;
  for (const run of runs) tx.put('runs', { ...endedRun(run, since), desired: 'off' });
  const schedules = tx.find('schedules', { where: { enabled: true } }).rows;
  for (const schedule of schedules) tx.put('schedules', { ...schedule, enabled: false });
  const actions = tx.find('plannedActions', { where: { status: 'pending' } }).rows;
  for (const action of actions) tx.put('plannedActions', { ...action, status: 'disabled' });
  // With its key this server would end on that machine whatever it has not ordered itself, such as a broadcast of the server it is a copy of.
  const devices = tx.find('devices', {}).rows.filter(({ link_key }) => link_key !== undefined);
  for (const { link_key: _key, ...device } of devices) tx.put('devices', device);
  const accounts = tx.find('cloudAccounts', {}).rows.filter(({ validation_status }) => validation_status === 'VALID');
  for (const account of accounts) tx.put('cloudAccounts', { ...account, ...NOT_VALIDATED });
  const names = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name);
  return {
    off: runs.length,
    paused: schedules.length,
    kept: actions.length,
    devices: names(devices),
    accounts: accounts.map(({ client }) => client),
  };
}
