/** Who is signed in. The cookie itself is out of the page's reach. */
import { signal } from '@preact/signals';

export interface Session {
  user: string;
  role: 1 | 2;
  toolProfile: string;
  csrfToken: string | undefined;
  language: string;
}

/** undefined: not asked yet; null: nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

export function forgetSession(): void {
  session.value = null;
}
