/** The control plane's side of the Device agents. */
export {
  ensureAgent,
  keepAgent,
  shutdownAgent,
  unpairAgent,
  type AgentLink,
  type EnsureOptions,
  type KeptAgent,
} from './agent/keep.ts';
export { connectDevice, type DeviceClientOptions } from './agent/link.ts';
export { agentSocket } from './agent/paths.ts';
export { deviceNetwork } from './agent/remote.ts';
export { openLogFile } from './log-file.ts';
