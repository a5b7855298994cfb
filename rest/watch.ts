/**
 * The player's page for viewers is static files with a policy that lets nothing else run, and nothing be played but what this server and its
 * Devices deliver: a link to the page must not show what somebody else serves under the name of this server. Lists that this server answers
 * name media of the Device of now, and of another one a minute later.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { documentReply } from './documents.ts';
import { HeldFile } from './held-file.ts';
import { serveReads } from './methods.ts';
import type { HeaderFields } from './replies.ts';

interface WatchDeps {
  /** The address of this server where a proxy stands before it. */
  publicUrl?: string | undefined;
  /** The folder with watch.html, and watch.js and hls.js as they are built. */
  webDir: string;
  /** Tells whether a Device of this installation delivers under this origin. */
  isMedia(origin: string): boolean;
}

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** Opens the files once; throws when one is missing, so that a wrong folder stops the start and not the first viewer. */
export function watchApp({ webDir, publicUrl, isMedia }: WatchDeps): Hono {
  const app = new Hono();
  const html = readFileSync(join(webDir, 'watch.html'), 'utf8');
  const answers = pageAnswers(html);
  const ofDevices = pageAnswer(html, 'http: https:', '');
  serveReads(app, '/watch', (c) => {
    const src = c.req.query('src') ?? '';
    const own = [new URL(c.req.url).origin, originOf(publicUrl)];
    const origin = originOf(src);
    if (isList(src, own[0]!) && (origin === '' || own.includes(origin))) return ofDevices(c.req.raw);
    return answers(isMedia(origin) ? origin : '')(c.req.raw);
  });
  asset(app, '/watch/watch.js', new HeldFile(join(webDir, 'watch.js')));
  asset(app, '/watch/hls.js', new HeldFile(hlsPath(webDir)));
  return app;
}

/** A build has the player beside the pages; a source tree has it in its packages. */
function hlsPath(webDir: string): string {
  const built = join(webDir, 'hls.js');
  return existsSync(built) ? built : join(webDir, '..', 'node_modules', 'hls.js', 'dist', 'hls.min.js');
}

/** The page for an origin beside this server's own. A page names the one that was asked for: strangers learn of no other Device. */
function pageAnswers(html: string): (origin: string) => ReturnType<typeof documentReply> {
  const known = new Map<string, ReturnType<typeof documentReply>>();
  return (origin) => {
    const answer = known.get(origin) ?? pageAnswer(html, origin, origin);
    known.set(origin, answer);
    return answer;
  };
}

function pageAnswer(html: string, sources: string, origin: string): ReturnType<typeof documentReply> {
  const headers: HeaderFields = {
    'Content-Security-Policy': policyOf(html, sources),
    'Referrer-Policy': 'no-referrer',
  };
  const text = html.replace('<html ', `<html data-media="${origin}" `);
  return documentReply(() => text, 'text/html; charset=utf-8', headers);
}

/** The path of lists, which name nothing that is not of a Device. */
function isList(src: string, own: string): boolean {
  return URL.canParse(src, own) && /\/live\/[1-9]\d*\/[1-9]\d*\//u.test(new URL(src, own).pathname);
}

/** Empty for a text that is no address, and for a path. */
function originOf(text = ''): string {
  return URL.canParse(text) ? new URL(text).origin : '';
}

function asset(app: Hono, path: string, script: HeldFile): void {
  const answer = documentReply(() => script.read(), SCRIPT_TYPE);
  serveReads(app, path, (c) => answer(c.req.raw));
}

/**
 * Scripts come from this server alone, the page's own style is allowed by its hash. hls.js demuxes in a worker made from a blob and plays the
 * video from one.
 */
function policyOf(html: string, sources: string): string {
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/gu)].map(
    (match) => `'sha256-${sha256(match[1] ?? '')}'`,
  );
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles.join(' ')}`,
    'img-src data:',
    `connect-src 'self' ${sources}`.trimEnd(),
    `media-src blob: 'self' ${sources}`.trimEnd(),
    'worker-src blob:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
