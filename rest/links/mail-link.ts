/**
 * The link of a mail opens a page with one button, and the button says that somebody knows of the fault: programs that look at each link of
 * a mail before a person does must not acknowledge anything. Whoever has the mail may; no sign-in is asked at night.
 */
import { Hono, type Context } from 'hono';
import { AppError } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import { acknowledgeNotice } from '../../domain/rules/installation/mail-notices.ts';
import type { MailNotice } from '../../domain/shapes/installation/mail-rule.ts';
import type { SignedLinks } from '../../domain/shapes/installation/system.ts';
import { toIso, type Clock } from '../../domain/time/clock.ts';
import { problemReply, requestIdOf } from '../replies.ts';
import { PREFIX } from '../routes.ts';
import { escaped, plainPage } from '../sign-in/plain-page.ts';

export interface MailLinkDeps {
  store: Pick<Store, 'get' | 'tx'>;
  links: Pick<SignedLinks, 'isGood'>;
  clock: Pick<Clock, 'now'>;
}

export function mailLinkApp(deps: MailLinkDeps): Hono {
  const app = new Hono();
  const path = `${PREFIX}/mail/:noticeId{[0-9]+}/acknowledge`;
  const answer =
    (act: (notice: Readonly<MailNotice>) => Promise<Readonly<MailNotice>>) =>
    async (context: Context): Promise<Response> => {
      const requestId = requestIdOf(context.req.raw);
      try {
        const notice = await act(await noticeOf(deps, context));
        return pageOf(notice, requestId);
      } catch (error) {
        return problemReply(error, requestId);
      }
    };
  app.get(
    path,
    answer((notice) => Promise.resolve(notice)),
  );
  app.post(
    path,
    answer(({ id }) => deps.store.tx((tx) => acknowledgeNotice(tx, toIso(deps.clock.now()), id))),
  );
  return app;
}

async function noticeOf({ store, links }: MailLinkDeps, context: Context): Promise<Readonly<MailNotice>> {
  const { pathname, searchParams } = new URL(context.req.raw.url);
  if (!links.isGood(pathname, searchParams.get('expires'), searchParams.get('signature')))
    throw new AppError(
      'forbidden',
      'This link is not valid, or no longer. Look at the page of onair what is wrong now.',
    );
  const notice = (await store.get('mailNotices', Number(context.req.param('noticeId'))))?.row;
  if (notice !== undefined) return notice;
  throw new AppError('not_found', 'This fault has been over for a day: there is nothing to acknowledge any more.');
}

function pageOf({ conditions, acknowledged, ended_at }: Readonly<MailNotice>, requestId: string): Response {
  const faults = conditions.map(({ message, at }) => `<li>${escaped(message)} <small>${at}</small></li>`).join('');
  const over = ended_at === null ? '' : `<p>It has been over since ${ended_at}.</p>`;
  const act =
    acknowledged === null
      ? '<form method="post"><button>I know of this</button></form>'
      : `<p>Acknowledged at ${acknowledged.at}.</p>`;
  const main = `<h1>onair</h1><ul>${faults}</ul>${over}${act}`;
  return plainPage({ status: 200, requestId, lang: 'en', title: 'onair', main, formAction: "'self'" });
}
