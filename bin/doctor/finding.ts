/** One line of the answer of `onair doctor`. */
export interface Finding {
  /** The name of the check, always the same. */
  check: string;
  /** error: it keeps broadcasts from working. */
  state: 'ok' | 'warning' | 'error';
  detail: string;
  /** Advice; empty where all is well. */
  remedy: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail, remedy: '' };
}

export function warning(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'warning', detail, remedy };
}

export function failure(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'error', detail, remedy };
}
