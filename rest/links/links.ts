/** Signed links, which carry the right to open what they name, in one app. */
import { Hono } from 'hono';
import { downloadApp, type DownloadDeps } from './downloads.ts';
import { mailLinkApp, type MailLinkDeps } from './mail-link.ts';

export type LinkDeps = DownloadDeps & MailLinkDeps;

export function linkApp(deps: LinkDeps): Hono {
  const app = new Hono();
  app.route('/', downloadApp(deps));
  app.route('/', mailLinkApp(deps));
  return app;
}
