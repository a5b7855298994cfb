/** The pages that a person sees while an assistant is connected. They work without a script, and no other page can frame them. */
import type { AuthorizationTarget } from '../../auth/oauth/authorization.ts';
import { destinationOf } from '../../auth/oauth/redirects.ts';
import { toProblem } from '../../domain/base/errors.ts';
import type { ProfileName } from '../../domain/shapes/installation/security.ts';
import { escaped, plainPage } from '../sign-in/plain-page.ts';
import type { ConsentWords } from './words.ts';

export interface Shown {
  words: ConsentWords;
  requestId: string;
  /** The address of the request itself, which its forms are sent to. */
  action: string;
  target: AuthorizationTarget;
}

/**
 * The cookie of the session stays away from what another site has begun (SameSite=Strict), redirects included. The browser goes on from
 * this page by itself, and what a page of ours begins brings the cookie.
 */
export function stepPage({ words, requestId, target }: Shown, next: string): Response {
  const title = words.title(target.client.name);
  const main = `      <h1>${escaped(title)}</h1>\n      <p><a class="button" href="${escaped(next)}">${words.goesOn}</a></p>`;
  return plainPage({ status: 200, requestId, lang: words.lang, title, main, next });
}

export interface SignInShown extends Shown {
  /** The reason why the last try failed. */
  problem?: string | undefined;
  status?: number;
  provider?: { name: string; href: string } | undefined;
}

export function signInPage(shown: SignInShown): Response {
  const { words, requestId, action, target, problem, status = 200, provider } = shown;
  const title = words.signIn;
  const lines = [
    `<h1>${title}</h1>`,
    `<p>${escaped(words.signInWhy(target.client.name))}</p>`,
    ...destinationLines(shown),
    ...(problem === undefined ? [] : [`<p class="warn" role="alert">${escaped(problem)}</p>`]),
    `<form method="post" action="${escaped(action)}">`,
    `  <label>${words.username}<br><input type="text" name="username" autocomplete="username" required maxlength="256"></label>`,
    `  <label>${words.password}<br><input type="password" name="password" autocomplete="current-password" required maxlength="1024"></label>`,
    `  <p><button class="main" name="decision" value="sign_in">${words.signIn}</button></p>`,
    '</form>',
    ...(provider === undefined
      ? []
      : [`<p><a class="button" href="${escaped(provider.href)}">${escaped(words.by(provider.name))}</a></p>`]),
  ];
  return plainPage({ status, requestId, lang: words.lang, title, main: indented(lines), formAction: "'self'" });
}

export interface ConsentShown extends Shown {
  /** Name of the user. */
  username: string;
  csrfToken: string;
  offered: readonly ProfileName[];
  chosen: ProfileName;
  /** The operations that may be chosen, by the subject that they are of. */
  operations: readonly { subject: string; names: readonly string[] }[];
  /** The reason why the last answer was refused. */
  problem?: string | undefined;
}

export function consentPage(shown: ConsentShown): Response {
  const { words, requestId, action, target, username, csrfToken, problem } = shown;
  const { name } = target.client;
  const title = words.title(name);
  const lines = [
    `<h1>${escaped(title)}</h1>`,
    `<p>${escaped(words.asks(name))}</p>`,
    ...destinationLines(shown),
    `<dl><dt>${words.you}</dt><dd>${escaped(username)}</dd></dl>`,
    ...(problem === undefined ? [] : [`<p class="warn" role="alert">${escaped(problem)}</p>`]),
    `<form method="post" action="${escaped(action)}">`,
    `  <input type="hidden" name="csrf_token" value="${escaped(csrfToken)}">`,
    ...choiceLines(shown),
    `  <p>${words.until}</p>`,
    `  <p><button class="main" name="decision" value="allow">${words.allow}</button><button name="decision" value="deny" formnovalidate>${words.decline}</button></p>`,
    '</form>',
  ];
  const formAction = formActionOf(target.redirectUri);
  return plainPage({
    status: problem === undefined ? 200 : 400,
    requestId,
    lang: words.lang,
    title,
    main: indented(lines),
    formAction,
  });
}

/** For a user whose profile keeps him from connecting assistants. */
export function mayNotPage(shown: Shown & { csrfToken: string }): Response {
  const { words, requestId, action, target, csrfToken } = shown;
  const title = words.failed;
  const lines = [
    `<h1>${title}</h1>`,
    `<p class="warn">${escaped(words.mayNot(target.client.name))}</p>`,
    `<form method="post" action="${escaped(action)}"><input type="hidden" name="csrf_token" value="${escaped(csrfToken)}"><p><button name="decision" value="deny">${words.decline}</button></p></form>`,
  ];
  const formAction = formActionOf(target.redirectUri);
  return plainPage({ status: 403, requestId, lang: words.lang, title, main: indented(lines), formAction });
}

/** For a request whose answer may go nowhere. The detail is for whoever runs the assistant, and in English as all that programs are told. */
export function refusalPage(error: unknown, { words, requestId }: Pick<Shown, 'words' | 'requestId'>): Response {
  const { status, detail, remedy, error: word } = toProblem(error, requestId);
  const lines = [
    `<h1>${words.failed}</h1>`,
    `<p lang="en">${escaped(detail)}</p>`,
    ...(word === undefined ? [`<p lang="en">${escaped(remedy)}</p>`] : []),
    `<p>${escaped(words.request(requestId))}</p>`,
  ];
  // A browser would ask for a password of its own where it hears 401 with a challenge, and this one has none.
  const shownStatus = status === 401 ? 400 : status;
  return plainPage({ status: shownStatus, requestId, lang: words.lang, title: words.failed, main: indented(lines) });
}

function destinationLines({ words, target: { client, redirectUri } }: Shown): string[] {
  const { host, isOwnMachine } = destinationOf(redirectUri);
  const document =
    client.documentHost === undefined ? '' : `<dt>${words.document}</dt><dd>${escaped(client.documentHost)}</dd>`;
  return [
    `<dl><dt>${words.goesTo}</dt><dd class="name">${escaped(host)}</dd>${document}</dl>`,
    ...(client.documentHost === undefined ? [`<p>${words.selfNamed}</p>`] : []),
    ...(isOwnMachine ? [`<p class="warn">${words.ownMachine}</p>`] : []),
  ];
}

function choiceLines({ words, offered, chosen, operations }: ConsentShown): string[] {
  return [
    `  <fieldset><legend>${words.may}</legend>`,
    ...offered.map((profile) => {
      const [label, about] = words.profiles[profile];
      const checked = profile === chosen ? ' checked' : '';
      return `    <label><input type="radio" name="profile" value="${profile}"${checked} required> ${label}<small>${about}</small></label>`;
    }),
    `    <details><summary>${words.operations}</summary><p>${words.operationsWhy}</p>`,
    ...operations.flatMap(({ subject, names }) => [
      `      <p class="name" lang="en">${escaped(subject)}</p>`,
      ...names.map((name) => `      <label><input type="checkbox" name="operations" value="${name}"> ${name}</label>`),
    ]),
    '    </details>',
    '  </fieldset>',
    `  <label>${words.ends}<br><input type="number" name="expires_days" min="1" max="3650"></label>`,
  ];
}

/**
 * Browsers hold the redirect after a form to this policy, and all that it leads to: an assistant's own site may send the browser on to
 * another page of https.
 */
function formActionOf(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  // A policy has no form for an address of IPv6.
  const place = protocol === 'http:' && !hostname.startsWith('[') ? origin : protocol;
  return protocol === 'https:' ? "'self' https:" : `'self' https: ${place}`;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `      ${line}`).join('\n');
}
