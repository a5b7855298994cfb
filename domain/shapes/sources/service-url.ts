import { urlIssue } from './channel.ts';

/** Answers why the http(s) URL of another service cannot be used; the URL is answered to readers, so it must hold no secret. */
export function serviceUrlIssue(url: string): string | undefined {
  const wrong = urlIssue(url, ['http', 'https']);
  if (wrong !== undefined) return wrong;
  const { username, password, hash } = new URL(url);
  if (username !== '' || password !== '') return 'must not hold credentials; send them in the fields meant for them';
  return hash === '' ? undefined : 'must not have a fragment (#)';
}
