/** The line that makes a machine a Device of this server. */

/** The port that a Device takes where none is named. */
const USUAL_PORT = 8092;

/** As the page reaches it, at the port for Devices; where the server has none, at the one that it should get. */
export function joinServer(port: number | null): string {
  return `${location.hostname}:${port ?? USUAL_PORT}`;
}

export function joinCommand(token: string, server: string): string {
  return `ONAIR_JOIN_TOKEN=${token} onair device --join ${server}`;
}
