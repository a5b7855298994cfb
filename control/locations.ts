/** Places of runs, on Devices and on the cloud platform, in one number space: a Cloud account is its id below zero. */
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import { calledIn } from '../domain/base/sentence.ts';
import type { Store, View } from '../domain/ports/store.ts';

export function cloudPlace(accountId: number): number {
  return -accountId;
}

/** undefined when the place is a Device. */
function accountAt(place: number): number | undefined {
  return place < 0 ? -place : undefined;
}

export function placeOf({ deviceId, cloudAccountId }: Pick<Run, 'deviceId' | 'cloudAccountId'>): number | null {
  return cloudAccountId == null ? deviceId : cloudPlace(cloudAccountId);
}

/** A Device's report about a run that another Device has been given is ignored. */
export function isElsewhere(run: Pick<Run, 'deviceId' | 'cloudAccountId'>, place: number): boolean {
  const own = placeOf(run);
  return own !== null && own !== place;
}

/** A place speaks of the runs that it was given, and of no others. */
export function isRunAt(run: Readonly<Run> | undefined, runId: string, place: number): run is Readonly<Run> {
  return run?.runId === runId && !isElsewhere(run, place);
}

/** The condition that finds the runs of a place. */
export function runsAt(place: number): Record<string, number> {
  const accountId = accountAt(place);
  return accountId === undefined ? { deviceId: place } : { cloudAccountId: accountId };
}

export function placeName(view: Pick<View, 'get'>, place: number | null): string {
  if (place === null) return 'Its Device';
  const accountId = accountAt(place);
  return accountId === undefined ? calledIn(view, 'Device', place) : calledIn(view, 'Cloud account', accountId);
}

/** false when the place has been deleted, so nothing that ran there can be ended any more. */
export async function isKnown(store: Pick<Store, 'get'>, place: number | null): Promise<boolean> {
  if (place === null) return false;
  const accountId = accountAt(place);
  const row = accountId === undefined ? store.get('devices', place) : store.get('cloudAccounts', accountId);
  return (await row) !== undefined;
}
