/** Tells the Device agent of this machine who was seen at the control plane's port: the agent alone counts. */
import { agentSocket } from '../../device/agent/paths.ts';
import { Sightings } from '../../device/delivery/audience/sightings.ts';
import { callSocket, keptConnections } from '../../device/socket-http.ts';

const TELL_MS = 5000;

export function sightingsFor(deviceDir: string): Sightings {
  const socket = agentSocket(deviceDir);
  const agent = keptConnections(socket);
  return new Sightings((sightings) => {
    // An agent that is about to be replaced misses some seconds, and one of an earlier version counts nobody.
    callSocket({ socket, method: 'POST', path: '/sightings', body: { sightings }, timeoutMs: TELL_MS, agent }).catch(
      () => undefined,
    );
  });
}
