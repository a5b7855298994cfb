/**
 * What people ask each tool for, in whole phrases: `aliases` say what a thing is called, these say how it is asked for. A tool that
 * has none is found by its own words. Never a phrase of test/mcp/phrases-independent.ts, which measures what they are good for.
 */
import { MACHINES_REQUESTS } from './queries/machines.ts';
import { ON_AIR_REQUESTS } from './queries/on-air.ts';
import { OUTPUTS_REQUESTS } from './queries/outputs.ts';
import { PEOPLE_REQUESTS } from './queries/people.ts';
import { PLANS_REQUESTS } from './queries/plans.ts';
import { RECORDINGS_REQUESTS } from './queries/recordings.ts';
import { SERVICES_REQUESTS } from './queries/services.ts';

const BY_TOOL: Readonly<Record<string, string>> = {
  ...ON_AIR_REQUESTS,
  ...OUTPUTS_REQUESTS,
  ...MACHINES_REQUESTS,
  ...PLANS_REQUESTS,
  ...RECORDINGS_REQUESTS,
  ...SERVICES_REQUESTS,
  ...PEOPLE_REQUESTS,
};

/** A workflow is asked for as the operation is whose outcome it waits for. */
const SAME_AS: Readonly<Record<string, string>> = {
  start_livestream: 'startLivestream',
  stop_livestream: 'stopLivestream',
  get_livestream_status: 'getLivestreamStatus',
  schedule_livestream: 'addSchedule',
  toggle_destination: 'runtimeTogglePublishings',
};

export function requestsFor(tool: string): string[] {
  return (BY_TOOL[SAME_AS[tool] ?? tool] ?? '')
    .split(/[;\n]/u)
    .map((request) => request.trim())
    .filter((request) => request !== '');
}

/** The tools that the table names, for the test that they exist. */
export const REQUESTED_TOOLS: readonly string[] = [...Object.keys(BY_TOOL), ...Object.keys(SAME_AS)];
