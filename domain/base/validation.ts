/** The outcome of checking credentials against another service; the resource keeps the last one. */
import { z } from 'zod/v3';
import { instantField } from './schema.ts';

export const validationFields = {
  validation_status: z.enum(['UNKNOWN', 'VALID', 'INVALID']).describe('Outcome of the last validation.'),
  validation_date: instantField.nullable().describe('When it was last validated; null = never.'),
  validation_error: z.string().nullable().describe('Why it is INVALID, without secrets; null otherwise.'),
};

export interface Validation {
  validation_status: 'UNKNOWN' | 'VALID' | 'INVALID';
  validation_date: string | null;
  validation_error: string | null;
}

export const NOT_VALIDATED: Validation = {
  validation_status: 'UNKNOWN',
  validation_date: null,
  validation_error: null,
};

/** The finding. A reason may quote the other side, which is data, never an instruction. */
export type Finding = { valid: true } | { valid: false; reason: string };

/** True when the settings that a check uses are the same in both. */
export function sameSettings<T>(one: Readonly<T>, other: Readonly<T>, settings: readonly (keyof T)[]): boolean {
  return settings.every((field) => JSON.stringify(one[field]) === JSON.stringify(other[field]));
}

/** A new row was never validated, and a finding says nothing about other settings. */
export function withValidation<T extends Validation>(
  row: T,
  present: Readonly<T> | undefined,
  settings: readonly (keyof T)[],
): T {
  const isTried = present !== undefined && sameSettings(row, present, settings);
  return isTried ? row : { ...row, ...NOT_VALIDATED };
}
