/** The token that a server's calls to a Device carry once it has claimed the Device (domain/shapes/devices/device-owner.ts). */
import { OWNER_HEADER } from '../../domain/shapes/devices/device-owner.ts';
import { AppError } from '../../domain/base/errors.ts';
import { callSocket, SocketTimeout, toAppError } from '../socket-http.ts';
import type { Connection } from '../stream-socket.ts';

/** The Device writes one small file, on a disk that may be slow. */
const CLAIM_MS = 3000;

export class OwnerToken {
  private readonly mustClaim: boolean;
  private token: number | undefined;

  constructor(mustClaim: boolean) {
    this.mustClaim = mustClaim;
  }

  /** Throws AppError unavailable while a claim is not confirmed: a call without its token would count as one of an earlier server. */
  get headers(): Record<string, string> {
    if (this.token !== undefined) return { [OWNER_HEADER]: String(this.token) };
    if (this.mustClaim) throw new AppError('unavailable', 'The Device has not confirmed yet that this server owns it.');
    return {};
  }

  /** Calls carry the token of another server that has claimed the Device. */
  useToken(token: number): void {
    this.token = token;
  }

  /** Rejects with AppError stale_owner, unavailable or timeout. */
  async claim(open: () => Connection, token: number, ordered?: readonly string[]): Promise<void> {
    const wire = Object.assign(() => open(), { headers: () => ({ [OWNER_HEADER]: String(token) }) });
    const body = { ...(ordered !== undefined && { ordered }) };
    const call = { socket: wire, method: 'POST', path: '/owner', body, timeoutMs: CLAIM_MS } as const;
    const reply = await callSocket(call).catch((cause: unknown) => {
      const isLate = cause instanceof SocketTimeout;
      throw new AppError(isLate ? 'timeout' : 'unavailable', 'The Device does not answer.', { cause });
    });
    // Agents of earlier versions know no owners, and take the header for nothing.
    if (reply.status !== 200 && reply.status !== 404) throw toAppError(reply.body);
    // A sign of life that was asked for before a later claim may be answered after it.
    this.token = Math.max(token, this.token ?? 0);
  }
}
