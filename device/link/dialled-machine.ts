/** The calls to a machine that has dialled, before the Device is claimed there: none of them counts as an order. */
import { dialledMachineField, type DialledLink, type DialledMachine } from '../../domain/ports/device-link.ts';
import { AppError } from '../../domain/base/errors.ts';
import { callSocket, toAppError, type SocketReply } from '../socket-http.ts';
import type { Connection } from '../stream-socket.ts';

/** A short call over a connection that has just been made. */
const CALL_MS = 3000;
const UNKNOWN: DialledMachine = { name: null, boot_id: null, agent_id: null, owner: null };

export function dialledMachine(open: () => Connection): Pick<DialledLink, 'machine' | 'refuse'> {
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<SocketReply> => {
    try {
      return await callSocket({ socket: open, method, path, timeoutMs: CALL_MS, ...(body !== undefined && { body }) });
    } catch (cause) {
      throw new AppError('unavailable', 'The machine that has dialled does not answer.', { cause });
    }
  };
  return {
    async machine() {
      const { status, body } = await call('GET', '/machine');
      if (status === 200) return dialledMachineField.catch(UNKNOWN).parse(body);
      // An agent of an earlier version knows no such call. It refuses one without a token once it was claimed, and says by which.
      const owner = toAppError(body).extras.facts?.['owner'];
      return { ...UNKNOWN, owner: typeof owner === 'number' ? owner : null };
    },
    async refuse(words) {
      await call('POST', '/refused', words);
    },
  };
}
