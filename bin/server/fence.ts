/** ONAIR_FENCE: a program or a web address of the operator that cuts a Device off, and says whether that is done. */
import { spawn } from 'node:child_process';
import { foreignEnvironment } from '../../device/environment.ts';
import { FENCE_MS, type Fence, type FenceAnswer, type FencedDevice } from '../../domain/ports/fence.ts';

/** undefined where the operator has none. */
export function createFence(setting: string | undefined, boundMs = FENCE_MS): Fence | undefined {
  if (setting === undefined) return undefined;
  return setting.startsWith('/')
    ? (device) => run(setting, device, boundMs)
    : (device) => post(new URL(setting), device, boundMs);
}

const timedOut = (boundMs: number): FenceAnswer => ({
  outcome: 'timed_out',
  reason: `it has not answered within ${boundMs / 1000} s`,
});

/** The Device is in the variables alone: its name is what people have typed, and a program may take a word for an option. */
function run(program: string, { id, name, address }: FencedDevice, boundMs: number): Promise<FenceAnswer> {
  const variables = { FENCE_DEVICE_ID: String(id), FENCE_DEVICE_NAME: name, FENCE_DEVICE_ADDRESS: address };
  return new Promise((resolve) => {
    // A group of its own, so that what a script has started ends with it.
    const child = spawn(program, [], {
      detached: true,
      stdio: 'ignore',
      env: Object.assign(foreignEnvironment(), variables),
    });
    const bound = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      resolve(timedOut(boundMs));
    }, boundMs);
    const settle = (answer: FenceAnswer): void => {
      clearTimeout(bound);
      resolve(answer);
    };
    child.once('error', ({ message }) => settle({ outcome: 'failed', reason: message }));
    child.once('exit', (code, signal) =>
      settle(
        code === 0
          ? { outcome: 'done' }
          : { outcome: 'failed', reason: `it ended with ${code === null ? `signal ${signal}` : `exit code ${code}`}` },
      ),
    );
  });
}

async function post(url: URL, device: FencedDevice, boundMs: number): Promise<FenceAnswer> {
  const { username, password } = url;
  const words = [username, password].map(decodeURIComponent).join(':');
  const address = new URL(url);
  Object.assign(address, { username: '', password: '' });
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (words !== ':') headers['authorization'] = `Basic ${Buffer.from(words).toString('base64')}`;
  try {
    const signal = AbortSignal.timeout(boundMs);
    const response = await fetch(address, {
      method: 'POST',
      headers,
      body: JSON.stringify(device),
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return response.ok ? { outcome: 'done' } : { outcome: 'failed', reason: `it answered ${response.status}` };
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return timedOut(boundMs);
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    return { outcome: 'failed', reason: `it could not be reached (${cause?.code ?? (error as Error).message})` };
  }
}
