/**
 * Example queries of each tool, in whole phrases: `aliases` are names of a thing, and these are the ways to ask for it. A tool without
 * examples is found by its own words. No phrase of test/mcp/phrases-independent.ts stands here, because those measure the search.
 */
import { MACHINES_REQUESTS } from './queries/machines.ts';
import { ON_AIR_REQUESTS } from './queries/on-air.ts';
import { OUTPUTS_REQUESTS } from './queries/outputs.ts';
import { PEOPLE_REQUESTS } from './queries/people.ts';
import { PLANS_REQUESTS } from './queries/plans.ts';
import { RECORDINGS_REQUESTS } from './queries/recordings.ts';
import { SERVICES_REQUESTS } from './queries/services.ts';
import { splitQueries } from './queries/split-queries.ts';

const BY_TOOL: Readonly<Record<string, string>> = {
  ...ON_AIR_REQUESTS,
  ...OUTPUTS_REQUESTS,
  ...MACHINES_REQUESTS,
  ...PLANS_REQUESTS,
  ...RECORDINGS_REQUESTS,
  ...SERVICES_REQUESTS,
  ...PEOPLE_REQUESTS,
};

/** People ask for a workflow as they ask for the operation whose outcome it waits for. */
const SAME_AS: Readonly<Record<string, string>> = {
  start_livestream: 'startLivestream',
  stop_livestream: 'stopLivestream',
  get_livestream_status: 'getLivestreamStatus',
  schedule_livestream: 'addSchedule',
  toggle_destination: 'runtimeTogglePublishings',
};

export function requestsFor(tool: string): string[] {
  return splitQueries(BY_TOOL[SAME_AS[tool] ?? tool] ?? '');
}

/** Whether people ask for both with the same words. */
export function areAlike(one: string, other: string): boolean {
  return SAME_AS[one] === other || SAME_AS[other] === one;
}

/** The tools that the table names, for the test that they exist. */
export const REQUESTED_TOOLS: readonly string[] = [...Object.keys(BY_TOOL), ...Object.keys(SAME_AS)];
