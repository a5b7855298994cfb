/** Both ends of a dialled connection ask each other for a sign of life, because a machine that is gone closes nothing. */
import type { Http2Session } from 'node:http2';
import type { Duplex } from 'node:stream';

const HEARTBEAT_MS = 1000;
/** A Device dials another server then; several heartbeats are missing. */
const SILENCE_MS = 4000;

/** Windows of 64 KiB, which are usual, would hold media up on a line with a long delay. */
export const SESSION_OPTIONS = { settings: { initialWindowSize: 1 << 20, maxConcurrentStreams: 512 } } as const;
const SESSION_WINDOW = 16 << 20;

/**
 * Ends the session and its socket once the other side is silent for 4 s: whoever waits for an end waits for that of the socket. A session that is
 * destroyed first waits for what it is writing, which a machine that is gone never takes, and tells of no end until then. Where the process
 * stood still meanwhile, a session may be over before its listeners run, and every call of it throws.
 */
export function keepAlive(session: Http2Session, socket: Duplex): void {
  session.on('error', () => session.destroy());
  session.once('close', () => socket.destroy());
  let heardAt = performance.now();
  const ask = (): void => {
    if (session.destroyed) return void socket.destroy();
    if (performance.now() - heardAt > SILENCE_MS) return session.destroy();
    session.ping((error) => (error === null ? void (heardAt = performance.now()) : undefined));
  };
  const orEnd = (call: () => void): void => {
    try {
      call();
    } catch {
      session.destroy();
    }
  };
  const timer = setInterval(() => orEnd(ask), HEARTBEAT_MS);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
  orEnd(() => void session.setLocalWindowSize(SESSION_WINDOW));
  // One that was over before tells of no end.
  if (socket.destroyed) clearInterval(timer);
}

/** Resolves once the socket is over. */
export async function endOf(socket: Duplex): Promise<void> {
  if (!socket.destroyed) await new Promise<void>((done) => void socket.once('close', () => done()));
}
