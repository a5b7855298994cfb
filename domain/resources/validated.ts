/** How the outcome of a check reaches the row that was checked. */
import { AppError } from '../errors.ts';
import type { Finding, Validation } from '../validation.ts';

export function outcomeOf(finding: Finding, now: string): Validation {
  return {
    validation_status: finding.valid ? 'VALID' : 'INVALID',
    validation_date: now,
    validation_error: finding.valid ? null : finding.reason,
  };
}

/** The finding belongs to settings that are gone: to store it would vouch for what nobody has tried. */
export function changedMeanwhile(noun: string, id: number, operation: string): AppError {
  const detail = `${noun} ${id} was changed while it was being validated; nothing was stored. Call ${operation} again.`;
  return new AppError('conflict', detail, { facts: { resource: noun, id } });
}
