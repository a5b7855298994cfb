/** The line that makes a machine a Device of this server. */

/** The port that the manual chooses for ONAIR_DEVICE_PORT. */
const USUAL_PORT = 8092;

export function joinServer(): string {
  return `${location.hostname}:${USUAL_PORT}`;
}

export function joinCommand(token: string, server: string): string {
  return `ONAIR_JOIN_TOKEN=${token} onair device --join ${server}`;
}
