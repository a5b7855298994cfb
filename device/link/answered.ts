/** Answers of a Device in the form that this server knows. */
import { AppError } from '../../domain/base/errors.ts';
import { NotUnderstood, understood } from '../../domain/reported/fields.ts';
import type { Form } from '../../domain/reported/forms.ts';

/** Throws AppError upstream_failed for an answer of another form. */
export function answered<T>(what: string, form: Form<T>, body: unknown): T {
  try {
    return understood(what, form, body);
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    throw new AppError(
      'upstream_failed',
      'The Device agent tells what this server does not understand; run one version.',
      { upstream: error.message, cause: error },
    );
  }
}
