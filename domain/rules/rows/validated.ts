/** Brings the outcome of a check to the row that was checked. */
import { AppError } from '../../base/errors.ts';
import { sameSettings, type Finding, type Validation } from '../../base/validation.ts';

export function outcomeOf(finding: Finding, now: string): Validation {
  return {
    validation_status: finding.valid ? 'VALID' : 'INVALID',
    validation_date: now,
    validation_error: finding.valid ? null : finding.reason,
  };
}

/** The finding belongs to settings that are gone; storing it would vouch for settings that nobody has tried. */
export function changedMeanwhile(noun: string, id: number, operation: string): AppError {
  const detail = `${noun} ${id} was changed while it was being validated; nothing was stored. Call ${operation} again.`;
  return new AppError('conflict', detail, { facts: { resource: noun, id } });
}

/** Stores a finding with settings that are still the same. The answer throws AppError conflict when they are not. */
export function keepFinding<T extends Validation & { id: number }>(
  noun: string,
  operation: string,
  settings: readonly (keyof T)[],
): (present: Readonly<T>, tried: Readonly<T>, finding: Finding, now: string) => T {
  return (present, tried, finding, now) => {
    if (!sameSettings(present, tried, settings)) throw changedMeanwhile(noun, present.id, operation);
    return { ...present, ...outcomeOf(finding, now) };
  };
}
