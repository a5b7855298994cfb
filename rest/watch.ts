/** The player's page for viewers is static files with a policy that lets nothing else run. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { documentReply } from './documents.ts';
import { HeldFile } from './held-file.ts';
import { serveReads } from './methods.ts';
import type { HeaderFields } from './replies.ts';

interface WatchParts {
  /** The folder with watch.html, watch.js and, once built, hls.js. */
  webDir: string;
}

const SCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** Opens the files once; throws when one is missing, so that a wrong folder stops the start and not the first viewer. */
export function watchApp({ webDir }: WatchParts): Hono {
  const app = new Hono();
  page(app, '/watch', readFileSync(join(webDir, 'watch.html'), 'utf8'));
  asset(app, '/watch/watch.js', new HeldFile(join(webDir, 'watch.js')));
  asset(app, '/watch/hls.js', new HeldFile(hlsPath(webDir)));
  return app;
}

/** A build has the player beside the pages; a source tree has it in its packages. */
function hlsPath(webDir: string): string {
  const built = join(webDir, 'hls.js');
  return existsSync(built) ? built : join(webDir, '..', 'node_modules', 'hls.js', 'dist', 'hls.min.js');
}

function page(app: Hono, path: string, html: string): void {
  const headers: HeaderFields = {
    'Content-Security-Policy': policyOf(html),
    'Referrer-Policy': 'no-referrer',
  };
  const answer = documentReply(() => html, 'text/html; charset=utf-8', headers);
  serveReads(app, path, (c) => answer(c.req.raw));
}

function asset(app: Hono, path: string, script: HeldFile): void {
  const answer = documentReply(() => script.read(), SCRIPT_TYPE);
  serveReads(app, path, (c) => answer(c.req.raw));
}

/**
 * Scripts come from this server alone, the page's own style is allowed by its hash. Media comes from Devices on other hosts and ports, so
 * connections are open to http and https; hls.js demuxes in a worker made from a blob and plays the video from one.
 */
function policyOf(html: string): string {
  const styles = [...html.matchAll(/<style>([\s\S]*?)<\/style>/gu)].map(
    (match) => `'sha256-${sha256(match[1] ?? '')}'`,
  );
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles.join(' ')}`,
    'img-src data:',
    'connect-src http: https:',
    'media-src blob: http: https:',
    'worker-src blob:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
