/** Answers to a document that is not imported. */
import { invalidInput, type AppError, type FieldIssue } from './errors.ts';

/** This many findings show what the wrong rows have in common. */
export const MAX_DOCUMENT_ISSUES = 20;

export function refusedDocument(issues: readonly FieldIssue[]): AppError {
  const listedIssues = issues.slice(0, MAX_DOCUMENT_ISSUES);
  const text = listedIssues.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const more = issues.length > MAX_DOCUMENT_ISSUES ? ' More is wrong behind them.' : '';
  return invalidInput(
    listedIssues,
    `The document is refused, and nothing of it was written. ${text}.${more} Put these rows right.`,
  );
}
