/**
 * Sign-in of people: sessions behind a cookie. The cookie's value has 256 random bits and is stored as a hash alone; rows are read anew
 * on every call, so an end of any kind is in force at once. A session lasts twelve hours from the sign-in, a long shift, and an open page
 * may renew it for 30 days, because a wall must not go dark at night. One that an identity provider has let in is not renewed: the role may
 * have been withdrawn there, and only another sign-in tells. There is no idle limit beside it: a page that shows what is on air
 * asks every few seconds and would never be idle.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { toIso, type Clock } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';
import { hashToken, type Caller, type Role, type Session } from '../domain/shapes/installation/security.ts';
import type { Store, Tx } from '../domain/ports/store.ts';
import { assertKnown } from './stale-rows.ts';
import type { User } from '../domain/shapes/installation/user.ts';
import { addAudit } from '../toolkit/audit.ts';
import { verifyPassword } from '../toolkit/passwords.ts';
import { sealKeyOf } from './auth.ts';
import { isKnown, noteSignIn } from './known-sign-ins.ts';
import { changeOwnPassword, type PasswordChange } from './own-password.ts';
import { auditEntry, refusalNotes } from './session-audit.ts';
import { createSignInThrottle, pairOf, type Attempt } from './sign-in-throttle.ts';

const SESSION_MS = 12 * 3_600_000;
/** From the sign-in by a password on, however often it is renewed. */
const MAX_SESSION_MS = 30 * 24 * 3_600_000;
/** An open page renews its session again and again; the audit has one entry of it in this time. */
const RENEWAL_NOTED_MS = 24 * 3_600_000;
/** Sessions of one user, who has several browsers and devices; the oldest one ends. */
const MAX_SESSIONS = 20;
const SWEEP_LIMIT = 20;
const CSRF_PURPOSE = 'onair/csrf/v1';
const SECRET = /^[\w-]{43}$/u;

export interface SignInAttempt {
  username: string;
  password: string;
  /** Network of the client. */
  address: string;
  requestId: string;
}

export interface Sessions {
  /** Rejects with AppError unauthenticated, with one text for every cause, or rate_limited. */
  signIn(attempt: SignInAttempt): Promise<SignedIn>;
  /** Opens a session for the User whom `choose` answers in the same commit. Rejects with what it throws, which the audit notes. */
  admit(choose: (tx: Tx, now: string) => Readonly<User>, requestId: string): Promise<SignedIn>;
  /** Notes in the audit, within its budget, that somebody was not let in. */
  noteRefusal(outcome: string, username: string | undefined, requestId: string): Promise<void>;
  /** Resolves with the caller behind a cookie. Rejects with AppError unauthenticated. */
  authenticate(secret: string): Promise<SessionCaller>;
  /**
   * The session lasts twelve hours from now, and no longer than 30 days from its sign-in; from one by the provider, twelve hours. Rejects with
   * AppError unauthenticated.
   */
  renew(secret: string, requestId: string): Promise<SessionCaller>;
  signOut(caller: SessionCaller, requestId: string): Promise<void>;
  /** Rejects with AppError invalid_input, conflict, rate_limited. */
  changePassword(caller: SessionCaller, change: PasswordChange): Promise<void>;
  /** Resolves with the user that a caller is. Rejects with AppError unauthenticated when the user has just been deleted. */
  userOf(caller: Pick<Caller, 'userId'>): Promise<Readonly<User>>;
}

export interface SignedIn {
  /** The cookie's value. */
  secret: string;
  caller: SessionCaller;
}

interface SessionDeps {
  store: Pick<Store, 'find' | 'get' | 'tx' | 'staleMs'>;
  clock: Pick<Clock, 'now'>;
}

export function createSessions(deps: SessionDeps): Sessions {
  const { store, clock } = deps;
  const throttle = createSignInThrottle(clock);
  const noteRefusal = refusalNotes(deps);

  async function count(username: string, address: string): Promise<Attempt> {
    return throttle.begin(username, address, await isKnown(store, pairOf(username, address), clock.now()));
  }

  async function userOf({ userId }: Pick<Caller, 'userId'>): Promise<Readonly<User>> {
    const user = (await store.get('users', userId))?.row;
    if (user === undefined) throw signedOut();
    return user;
  }

  async function signIn(attempt: SignInAttempt): Promise<SignedIn> {
    const { username, address } = attempt;
    const counted = await count(username, address);
    let user: Readonly<User> | undefined;
    let right = false;
    try {
      [user] = (await store.find('users', { where: { username }, limit: 1 })).rows;
      right = await verifyPassword(attempt.password, user?.password_hash);
    } catch (error) {
      // The server was busy or broken, which is no failure of the person.
      counted.forgive();
      throw error;
    }
    const signedIn = right && user !== undefined ? await open(user, attempt) : undefined;
    if (signedIn !== undefined) {
      counted.forgive();
      return signedIn;
    }
    await noteRefusal('unauthenticated', user?.username, attempt.requestId);
    throw wrongCredentials();
  }

  /** undefined when the user is not active, or was changed while the password was checked. */
  async function open(
    user: Readonly<User>,
    { username, address, requestId }: SignInAttempt,
  ): Promise<SignedIn | undefined> {
    return openSession(
      deps,
      (tx) => {
        const current = tx.get('users', user.id);
        if (current === undefined || !current.active || current.password_hash !== user.password_hash) return undefined;
        noteSignIn(tx, pairOf(username, address), clock.now());
        return current;
      },
      requestId,
    );
  }

  return {
    signIn,
    async admit(choose, requestId) {
      try {
        return (await openSession(deps, choose, requestId, { by_provider: true }))!;
      } catch (error) {
        if (error instanceof AppError) await noteRefusal(error.code, undefined, requestId);
        throw error;
      }
    },
    noteRefusal,
    authenticate: (secret) => callerBehind(deps, secret),
    async renew(secret, requestId) {
      const { sessionId } = await callerBehind(deps, secret);
      await store.tx((tx) => renewIn(tx, sessionId, requestId, clock.now()));
      return callerBehind(deps, secret);
    },
    signOut: (caller, requestId) => endSession(deps, caller, requestId),
    async changePassword(caller, change) {
      const who = { user: await userOf(caller), sessionId: caller.sessionId };
      await changeOwnPassword({ store, clock, count, noteRefusal }, who, change);
    },
    userOf,
  };
}

async function endSession(
  { store, clock }: SessionDeps,
  { sessionId, username }: SessionCaller,
  requestId: string,
): Promise<void> {
  await store.tx((tx) => {
    if (tx.get('sessions', sessionId) !== undefined) tx.delete('sessions', sessionId);
    addAudit(tx, auditEntry('logout', 'ok', username, requestId, toIso(clock.now())));
  });
}

/** undefined when `choose` answers nobody. */
async function openSession(
  { store, clock }: SessionDeps,
  choose: (tx: Tx, now: string) => Readonly<User> | undefined,
  requestId: string,
  way: Pick<Session, 'by_provider'> = {},
): Promise<SignedIn | undefined> {
  const secret = randomBytes(32).toString('base64url');
  const token_hash = hashToken(secret);
  const nowMs = clock.now();
  const now = toIso(nowMs);
  const opened = await store.tx((tx) => {
    const user = choose(tx, now);
    if (user === undefined) return undefined;
    sweep(tx, user.id, now);
    addAudit(tx, auditEntry('login', 'ok', user.username, requestId, now));
    const expires_at = toIso(nowMs + SESSION_MS);
    const row = { created_at: now, updated_at: now, token_hash, userId: user.id, expires_at, ...way };
    return { user, session: tx.insert('sessions', row) };
  });
  return opened && { secret, caller: new SessionCaller(opened.user, opened.session, secret) };
}

async function callerBehind({ store, clock }: SessionDeps, secret: string): Promise<SessionCaller> {
  if (!SECRET.test(secret)) throw signedOut();
  assertKnown(store.staleMs());
  // The lookup is by hash: a timing attack could learn a prefix of a hash, which is no prefix of the secret.
  const [session] = (await store.find('sessions', { where: { token_hash: hashToken(secret) }, limit: 1 })).rows;
  if (session === undefined || Date.parse(session.expires_at) <= clock.now()) throw signedOut();
  const user = (await store.get('users', session.userId))?.row;
  if (user === undefined || !user.active) throw signedOut();
  return new SessionCaller(user, session, secret);
}

/** Secrets stay outside of the callers, which are logged and copied. */
const secrets = new WeakMap<SessionCaller, string>();

export class SessionCaller implements Caller {
  readonly userId: number;
  readonly username: string;
  readonly role: Role;
  readonly api: boolean;
  readonly tokenKid = null;
  readonly sessionId: number;
  readonly expiresAt: string;

  constructor(user: Readonly<User>, session: Readonly<Session>, secret: string) {
    this.userId = user.id;
    this.username = user.username;
    this.role = user.user_role;
    this.api = user.profile.api;
    this.sessionId = session.id;
    this.expiresAt = session.expires_at;
    secrets.set(this, secret);
  }

  get sealKey(): Buffer {
    return sealKeyOf(secrets.get(this)!);
  }

  /**
   * Mutations of the session must bring this value in a header. It is derived from the cookie, which scripts cannot read, and stored
   * nowhere.
   */
  get csrfToken(): string {
    return createHmac('sha256', secrets.get(this)!).update(CSRF_PURPOSE).digest('base64url');
  }
}

function renewIn(tx: Tx, sessionId: number, requestId: string, nowMs: number): void {
  const session = tx.get('sessions', sessionId);
  const user = session && tx.get('users', session.userId);
  // Both may have gone since the caller was found.
  if (session === undefined || user?.active !== true) throw signedOut();
  tx.put('sessions', renewed(session, nowMs));
  if (isRenewalNoted(session, nowMs)) return;
  addAudit(tx, auditEntry('renewSession', 'ok', user.username, requestId, toIso(nowMs)));
}

/** The secret stays: other windows of the browser are using it, and their CSRF token is derived from it. */
function renewed(session: Readonly<Session>, nowMs: number): Session {
  const maxMs = session.by_provider === true ? SESSION_MS : MAX_SESSION_MS;
  const endMs = Math.min(nowMs + SESSION_MS, Date.parse(session.created_at) + maxMs);
  const now = toIso(nowMs);
  return {
    ...session,
    updated_at: now,
    // A clock that was set back must not shorten it.
    expires_at: toIso(Math.max(endMs, Date.parse(session.expires_at))),
    ...(!isRenewalNoted(session, nowMs) && { renewal_noted_at: now }),
  };
}

function isRenewalNoted({ renewal_noted_at }: Readonly<Session>, nowMs: number): boolean {
  return renewal_noted_at !== undefined && nowMs - Date.parse(renewal_noted_at) < RENEWAL_NOTED_MS;
}

/** Deletes expired sessions of all users, and the oldest sessions of a user who has many. */
function sweep(tx: Tx, userId: number, now: string): void {
  const expired = tx.find('sessions', { where: { expires_at: { lt: now } }, limit: SWEEP_LIMIT });
  for (const { id } of expired.rows) tx.delete('sessions', id);
  const { rows } = tx.find('sessions', { where: { userId } });
  for (const { id } of rows.slice(0, Math.max(0, rows.length - MAX_SESSIONS + 1))) tx.delete('sessions', id);
}

/** One text covers a wrong name, a wrong password and an inactive user: knowing which would help only a guesser. */
function wrongCredentials(): AppError {
  return new AppError(
    'unauthenticated',
    'User name and password do not fit, or the user may not sign in. Check both, or ask an administrator.',
  );
}

function signedOut(): AppError {
  return new AppError('unauthenticated', 'There is no such session, or it has ended. Sign in again.');
}
