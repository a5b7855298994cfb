/** Refusals of the server (RFC 9457) as errors that a view can show. */

interface ProblemFields {
  detail?: string;
  title?: string;
  remedy?: string;
  code?: string;
  request_id?: string;
  retry_after_seconds?: number;
  upstream?: unknown;
  /** Rows that need the one that was to be deleted. */
  users?: { resource: string; id: number; name: string }[];
  errors?: { field?: string; pointer?: string; code?: string; message?: string }[];
  /** The field that a conflict is about: a name that is taken. */
  field?: string;
}

export class ProblemError extends Error {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  readonly fields: ProblemFields;

  constructor(status: number, fields: ProblemFields) {
    super(fields.detail ?? fields.title ?? `HTTP ${status}`);
    this.name = 'ProblemError';
    this.status = status;
    this.fields = fields;
  }
}

/** Makes an error of whatever a request ended with. */
export async function problemOf(response: Response): Promise<ProblemError> {
  try {
    return new ProblemError(response.status, (await response.json()) as ProblemFields);
  } catch {
    // A proxy answered with a page of its own.
    return new ProblemError(response.status, {});
  }
}
