/** The outcomes of a save. */
import { ProblemError } from './problems.ts';

export type SaveOutcome<D> =
  | { kind: 'saved'; data: D; etag: string | undefined }
  /** `theirs` is the present row; `by` says who changed it, where the person may know. */
  | { kind: 'changed'; theirs: D; etag: string | undefined; by: string | undefined }
  | { kind: 'refused'; error: ProblemError };

/** The row as it is now. */
type Present = () => Promise<{ theirs: unknown; etag: string | undefined; by: string | undefined }>;

export async function outcomeOf<D>(
  send: () => Promise<{ data: D; etag: string | undefined }>,
  present: Present,
): Promise<SaveOutcome<D>> {
  try {
    return { kind: 'saved', ...(await send()) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (error.status !== 412) return { kind: 'refused', error };
    return presentOutcome(present, error);
  }
}

async function presentOutcome<D>(present: Present, refusal: ProblemError): Promise<SaveOutcome<D>> {
  try {
    const { theirs, etag, by } = await present();
    return { kind: 'changed', theirs: theirs as D, etag, by };
  } catch (error) {
    // A row that was deleted meanwhile says so; what cannot be read leaves the refusal itself.
    const gone = error instanceof ProblemError && error.status === 404 ? error : refusal;
    return { kind: 'refused', error: gone };
  }
}

/** Takes rows of the audit, newest first, and tells who made the last change that took effect. */
export function changedBy(rows: readonly object[], operations: readonly string[]): string | undefined {
  const found = (rows as { operation?: string; outcome?: string; user?: string }[]).find(
    ({ operation, outcome }) => operations.includes(operation ?? '') && outcome === 'ok',
  );
  return found?.user;
}
