/** The clock of a push process that a test moves by hand. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const clockFile = (deviceDir: string): string => join(deviceDir, 'clock');

/** Before the process starts, its clock is stopped by this. */
export function setClock(deviceDir: string, ms: number): void {
  writeFileSync(clockFile(deviceDir), String(ms));
}
