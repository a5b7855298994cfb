/** Signing in and out, and who the present cookie belongs to. */
import { hasSignedIn } from '../prefs.ts';
import { profileLanguage } from '../i18n/words.ts';
import { call, dataIn } from './call.ts';
import { ProblemError } from './problems.ts';
import { isExpired, isLeaving, session } from './session.ts';

interface Me {
  id: number;
  username: string;
  user_role: number;
  tool_profile: string;
  csrf_token?: string;
  profile: { language?: string | null; api?: boolean };
}

function adopt(me: Me): void {
  hasSignedIn.value = 'yes';
  profileLanguage.value = me.profile.language ?? '';
  session.value = {
    userId: me.id,
    user: me.username,
    role: me.user_role === 1 ? 1 : 2,
    toolProfile: me.tool_profile,
    csrfToken: me.csrf_token,
    language: me.profile.language ?? '',
    mayIssueTokens: me.profile.api === true,
  };
  isExpired.value = false;
}

/** The document tells where there is nobody to ask about. */
export function mayBeSignedIn(): boolean {
  return document.querySelector<HTMLMetaElement>('meta[name=session]')?.content !== 'none';
}

/** The identity provider by which people may sign in; undefined where there is none. */
export function providerName(): string | undefined {
  return document.querySelector<HTMLMetaElement>('meta[name=provider]')?.content || undefined;
}

/** Settles who is signed in; without a network it stays unsettled and rejects. */
export async function askSession(): Promise<void> {
  // The address says that a sign-in has just ended; a reload must not ask again on its account.
  if (location.search === '?signed-in') history.replaceState(null, '', location.pathname + location.hash);
  if (!mayBeSignedIn()) {
    session.value = null;
    return;
  }
  try {
    adopt(dataIn((await call('getMe')).body) as Me);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 401) throw error;
    session.value = null;
  }
}

/** Rejects with ProblemError. */
export async function signIn(username: string, password: string): Promise<void> {
  adopt(dataIn((await call('login', { body: { username, password } })).body) as Me);
}

/** The other sessions of the person end by it. Rejects with ProblemError. */
export async function changePassword(password: string, new_password: string): Promise<void> {
  await call('changePassword', { body: { password, new_password } });
}

export async function signOut(): Promise<void> {
  isLeaving.value = true;
  try {
    await call('logout');
    session.value = null;
  } finally {
    isLeaving.value = false;
  }
}
