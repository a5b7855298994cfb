/** The clock of this machine, which all windows of the browser and their worker share. */

/** Milliseconds since 1970. */
export function machineNow(): number {
  return Date.now();
}
