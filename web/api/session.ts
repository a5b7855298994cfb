/** Who is signed in. The cookie itself is out of the page's reach. */
import { signal } from '@preact/signals';

export interface Session {
  userId: number;
  user: string;
  role: 1 | 2;
  toolProfile: string;
  csrfToken: string | undefined;
  language: string;
  /** Whether the profile allows createApiToken. */
  mayIssueTokens: boolean;
}

/** undefined: not asked yet; null: nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** The server takes the cookie no more: what was shown stays under a veil until somebody has signed in again. */
export const isExpired = signal(false);

/** Signing out ends the feed before its own answer is there, and needs no veil. */
export const isLeaving = signal(false);

export function forgetSession(): void {
  if (session.value != null && !isLeaving.value) isExpired.value = true;
}
