/** The operators' page below `/` and the page of the API at /docs: the built files, with a policy under which nothing runs that is not a file of this server. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { Hono } from 'hono';
import type { Sessions } from '../auth/sessions.ts';
import { bucketUrl, parseBucketAddress } from '../domain/network/bucket-address.ts';
import { namesEtag } from '../domain/network/http-conditions.ts';
import { bytesReply, codingFor, documentReply } from './documents.ts';
import { HeldFile } from './held-file.ts';
import { serveReads } from './methods.ts';
import { requestIdOf, type HeaderFields } from './replies.ts';
import { sessionCookieOf } from './sign-in/session-cookie.ts';

interface PageDeps {
  /** The folder with index.html and assets/, as the build writes them. */
  webDir: string;
  sessions: Pick<Sessions, 'authenticate'>;
  /** The identity provider that the sign-in form offers, as people know it; left out: there is none. */
  providerName?: string | undefined;
  /** The address of the bucket in which Recordings are; left out: there is none. */
  media?: string | undefined;
}

interface Version {
  file: HeldFile;
  headers: HeaderFields;
}

const policyOf = (images: string, media = ''): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${images}`,
    "font-src 'self'",
    "connect-src 'self'",
    `media-src 'self' blob: ${media}`.trimEnd(),
    "worker-src 'self' blob:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const SAFETY: HeaderFields = {
  'Content-Security-Policy': policyOf('blob:'),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Recordings that are in the bucket are played from there. */
function safetyWith(bucket: string | undefined): HeaderFields {
  if (bucket === undefined) return SAFETY;
  const { origin } = bucketUrl(parseBucketAddress(bucket));
  return { ...SAFETY, 'Content-Security-Policy': policyOf('blob:', origin) };
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The style sheet of Swagger UI holds its icons. */
const API_SAFETY: HeaderFields = { ...SAFETY, 'Content-Security-Policy': policyOf('blob: data:') };

/** The document says whether there is a session: a browser writes each 401 into its console, so the page asks nothing without one. */
const SESSION_MARK = /(<meta name="session" content=")[^"]*(")/u;
const PROVIDER_MARK = /(<meta name="provider" content=")[^"]*(")/u;
/** A name with the hash of its content never gets another content. */
const HASHED_NAME = /-[0-9A-Z]{8}\.\w+$/u;
const PACKED_NAME = /\.(?:br|gz)$/u;
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;

/** Opens all files once, so that a build beside a running server changes nothing under its page. Throws Error when there is no build. */
export function pageApp({ webDir, sessions, providerName = '', media }: PageDeps): Hono {
  const assets = join(webDir, 'assets');
  if (!existsSync(assets))
    throw new Error(`The page is not built: ${assets} is missing. Run npm run build, or start with npm start.`);
  const app = new Hono();
  serveDocument(app, '/', join(webDir, 'index.html'), { sessions, providerName, safety: safetyWith(media) });
  serveDocument(app, '/docs', join(webDir, 'docs.html'), { sessions, safety: API_SAFETY });
  // The document names its files relative to its address.
  serveReads(app, '/docs/', ({ req }) => redirectReply('../docs', requestIdOf(req.raw)));
  const names = new Set(readdirSync(assets).map((name) => name.replace(PACKED_NAME, '')));
  for (const name of names) if (HASHED_NAME.test(name)) serveAsset(app, assets, name);
  return app;
}

function serveDocument(
  app: Hono,
  path: string,
  file: string,
  { sessions, providerName = '', safety }: Omit<PageDeps, 'webDir'> & { safety: HeaderFields },
): void {
  // A host with its port has no character that HTML gives a meaning.
  const html = readFileSync(file, 'utf8').replace(PROVIDER_MARK, `$1${providerName}$2`);
  const replyWith = (session: 'open' | 'none'): ReturnType<typeof documentReply> =>
    documentReply(() => html.replace(SESSION_MARK, `$1${session}$2`), 'text/html; charset=utf-8', {
      ...safety,
      Vary: 'Accept-Encoding, Cookie',
    });
  const replies = { open: replyWith('open'), none: replyWith('none') };
  serveReads(app, path, async ({ req: { raw } }) => {
    const isOpen = await sessions.authenticate(sessionCookieOf(raw.headers) ?? '').then(
      () => true,
      () => false,
    );
    // The browser holds the cookie back this once where an identity provider has sent it here.
    const mayBeOpen = isOpen || new URL(raw.url).searchParams.has('signed-in');
    return replies[mayBeOpen ? 'open' : 'none'](raw);
  });
}

function redirectReply(location: string, requestId: string): Response {
  return new Response(null, { status: 308, headers: { Location: location, 'X-Request-Id': requestId } });
}

function serveAsset(app: Hono, folder: string, name: string): void {
  const path = join(folder, name);
  const headers: HeaderFields = {
    'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ...SAFETY,
  };
  // An installed package has no file twice: what is there packed is there packed alone.
  const plain = existsSync(path) ? new HeldFile(path) : new HeldFile(`${path}.br`, unpacked);
  const versions = new Map<string, Version>([
    ['identity', { file: plain, headers: { ...headers, ETag: `"${name}"` } }],
  ]);
  for (const [coding, suffix] of Object.entries(SUFFIXES)) {
    const packed = `${path}${suffix}`;
    if (!existsSync(packed)) continue;
    // Two representations never share a strong tag (RFC 9110 §8.8.3.3).
    const coded = { ...headers, 'Content-Encoding': coding, ETag: `"${name}-${coding}"` };
    versions.set(coding, { file: new HeldFile(packed), headers: coded });
  }
  const codings = Object.keys(SUFFIXES).filter((coding) => versions.has(coding));
  serveReads(app, `/assets/${name}`, ({ req }) => {
    const coding = codingFor(req.raw.headers.get('accept-encoding'), codings);
    const version = versions.get(coding) ?? versions.get('identity')!;
    const replyHeaders = { ...version.headers, 'X-Request-Id': requestIdOf(req.raw) };
    if (namesEtag(req.raw.headers.get('if-none-match') ?? '', version.headers['ETag'] ?? ''))
      return new Response(null, { status: 304, headers: replyHeaders });
    return bytesReply(version.file.read(), replyHeaders);
  });
}

function unpacked(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(brotliDecompressSync(bytes));
}
