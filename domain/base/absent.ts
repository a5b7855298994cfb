/** Codes of the kernel that say that a file, a folder or a process is not there. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ESRCH'];

/** Every other error is about the one who looks (no free descriptor, no right, a damaged disk), and says nothing about what is there. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** For the `catch` of a look: answers `value` where nothing is there, and throws any other error on. */
export function ifAbsent<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isAbsent(error)) return value;
    throw error;
  };
}

/** For what is only true where the look itself succeeds: what cannot be seen may be there. */
export function isProven(look: () => boolean): boolean {
  try {
    return look();
  } catch {
    // The caller goes on as if it were there.
    return false;
  }
}

/** This process, or the machine, has no free descriptor or no memory: nothing was asked. */
export function isShortage(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');
}
