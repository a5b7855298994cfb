/** The error of a write for which the disk has no room. Everything written before is whole. */
export class NoRoom extends Error {
  readonly code = 'ENOSPC';
}

export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
