/** The control plane's side of the Device agents. */
export {
  ensureAgent,
  superviseAgent as keepAgent,
  shutdownAgent,
  unpairAgent,
  type AgentLink,
  type EnsureOptions,
  type KeptAgent,
} from './agent-process.ts';
export { connectDevice, type DeviceClientOptions } from './agent-link.ts';
export { agentSocket } from '../agent/paths.ts';
export { deviceNetwork } from './remote-device.ts';
export { openLogFile } from '../log-file.ts';
