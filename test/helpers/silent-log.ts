import type { Log } from '../../domain/base/log.ts';

/** A log that keeps nothing. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
