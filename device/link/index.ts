/** The control plane's side of the Device agents: control and bin/ import the agents' links from here. */
export { ensureAgent, shutdownAgent, superviseAgent, unpairAgent, type SupervisedAgent } from './agent-process.ts';
export { connectDevice } from './agent-link.ts';
export { agentSocket } from '../agent/paths.ts';
export { deviceNetwork } from './remote-device.ts';
