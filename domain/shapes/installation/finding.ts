/** Findings about the health of an installation: what `onair doctor` and getSystemAlarms answer. */
import { z } from 'zod/v3';
import { instantField } from '../../base/schema.ts';

export const FINDING_STATES = ['ok', 'warning', 'error'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

/** The checks of a server; each has a finding at least. `onair doctor` has further ones of its machine. */
export const ALARM_CHECKS = [
  'store',
  'disk',
  'clock',
  'certificate',
  'servers',
  'devices',
  'programs',
  'features',
  'storage',
  'device_clocks',
  'fleet',
  'licences',
  'key_servers',
  'connections',
  'backups',
  'archive',
  'mail',
] as const;
export type AlarmCheck = (typeof ALARM_CHECKS)[number];

export const findingOutput = z
  .object({
    check: z.enum(ALARM_CHECKS).describe('What was looked at.'),
    state: z.enum(FINDING_STATES).describe('error: it keeps broadcasts from working.'),
    detail: z.string().describe('What was found, for a person.'),
    remedy: z.string().describe('Advice; empty where all is well.'),
    since: instantField.nullable().describe('When it began, or was first seen; null: all is well.'),
  })
  .strict()
  .describe('Finding: what one check has found.');
export type Alarm = z.infer<typeof findingOutput>;

export interface Finding<Check extends string = string> extends Origin {
  /** The name of the check, always the same. */
  check: Check;
  /** error: it keeps broadcasts from working. */
  state: FindingState;
  detail: string;
  /** Advice; empty where all is well. */
  remedy: string;
}

interface Origin {
  /** When it began, where that is known; else it counts from the first look that saw it. */
  since?: string | null | undefined;
  /** Tells it from others of the same check, whatever its detail says from look to look. */
  of?: string | number;
}

export function ok<C extends string>(check: C, detail: string): Finding<C> {
  return { check, state: 'ok', detail, remedy: '' };
}

export function warning<C extends string>(check: C, detail: string, remedy: string, origin: Origin = {}): Finding<C> {
  return { check, state: 'warning', detail, remedy, ...origin };
}

export function failure<C extends string>(check: C, detail: string, remedy: string, origin: Origin = {}): Finding<C> {
  return { check, state: 'error', detail, remedy, ...origin };
}

/** The worst of the findings. */
export function worstOf(findings: readonly Pick<Finding, 'state'>[]): FindingState {
  return FINDING_STATES.findLast((state) => findings.some((finding) => finding.state === state)) ?? 'ok';
}
