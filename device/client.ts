/** The control plane's side of the Device agent on this machine. */
export {
  ensureAgent,
  keepAgent,
  shutdownAgent,
  type AgentLink,
  type EnsureOptions,
  type KeptAgent,
} from './agent/keep.ts';
export { connectDevice, type DeviceClientOptions } from './agent/link.ts';
export { agentSocket } from './agent/paths.ts';
export { openLogFile } from './log-file.ts';
