/** The control plane's side of the Device agents. bin/ imports from here alone, and control through the ports that it hands over. */
export { ensureAgent, shutdownAgent, superviseAgent, unpairAgent, type SupervisedAgent } from './agent-process.ts';
export { connectDevice } from './agent-link.ts';
export { agentSocket } from '../agent/paths.ts';
export { deviceNetwork } from './remote-device.ts';
export { openDialIn, type DialIn } from './dial-in.ts';
