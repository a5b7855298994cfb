/** The server names the operation that failed, for programs; people read the step. */
import { ProblemError } from '../api/problems.ts';
import { OPERATIONS, type StepOperation } from './steps.ts';
import { words } from './words.ts';

const NAMES = new RegExp(`\\b(?:${OPERATIONS.join('|')})\\b`, 'gu');

export function plainText(text: string): string {
  return text.replaceAll(NAMES, (name) => `“${words.value.operations[name as StepOperation]}”`);
}

export function plainProblem(problem: ProblemError | undefined): ProblemError | undefined {
  if (problem?.fields.detail === undefined) return problem;
  const { status, fields } = problem;
  return new ProblemError(status, { ...fields, detail: plainText(problem.fields.detail) });
}
