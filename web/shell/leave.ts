/** Signing out, by the menu and by the palette. */
import { signOut } from '../api/sign-in.ts';
import { problemLine } from '../i18n/problem-text.ts';
import { announceFault } from '../ui/registry/notices.ts';

/** A sign-out that failed is told: whoever leaves a machine relies on it. */
export function leave(): void {
  signOut().catch((error: unknown) => announceFault(problemLine(error)));
}
