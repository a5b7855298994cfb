/** The link of a mail: it opens a page that changes nothing, and its button says that a person knows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addEvent } from '../../domain/rules/rows/event-log.ts';
import { noteEvent } from '../../domain/rules/installation/mail-notices.ts';
import { toIso } from '../../domain/time/clock.ts';
import { mailLinkApp } from '../../rest/links/mail-link.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { surroundings } from '../app/surroundings.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';

describe('the link of a mail', () => {
  let app: TestApp;
  let ask: (method: string, link: string) => Promise<Response>;
  let link: string;
  let livestreamId: number;
  before(async () => {
    app = await startTestApp();
    ({ livestreamId } = await addBroadcast(app));
    const { links } = surroundings({ clock: app.clock, dataDir: app.dir }).system;
    const rest = mailLinkApp({ store: app.store, links, clock: app.clock });
    ask = async (method, url) => rest.request(new Request(url, { method }));
    const { id: ruleId } = await app.data('addMailRule', { name: 'Desk', recipients: ['desk@example.org'] });
    const now = toIso(app.clock.now());
    await app.store.tx((tx) =>
      addEvent(tx, now, livestreamId, { kind: 'source_lost', severity: 'error', message: 'Lost <b>&.', data: {} }),
    );
    const [event] = (await app.store.find('events', { where: { kind: 'source_lost' } })).rows;
    const rule = (await app.store.get('mailRules', ruleId))?.row;
    assert.ok(event !== undefined && rule !== undefined);
    const [notice] = await app.store.tx((tx) => noteEvent(tx, rule, event, { now, zone: 'UTC' }));
    link = links.sign(`/mail/${notice?.id}/acknowledge`, app.clock.now() + 3_600_000);
  });
  after(() => app.close());

  const known = async (): Promise<number> => (await app.rows('getAllEvents', { kind: 'acknowledged' })).length;

  it('opening the link shows the fault and changes nothing; the button acknowledges it once', async () => {
    const page = await ask('GET', link);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/u);
    // Without a referrer a browser sends the form with the Origin null, which the entrance refuses.
    assert.equal(page.headers.get('referrer-policy'), 'same-origin');
    const html = await page.text();
    assert.ok(html.includes('Lost &#60;b&#62;&#38;.') && html.includes('<button>'), html);
    assert.equal(await known(), 0);
    for (let times = 0; times < 2; times += 1) assert.match(await (await ask('POST', link)).text(), /Acknowledged at/u);
    assert.equal(await known(), 1);
    const [logged] = await app.rows('getAllEvents', { kind: 'acknowledged' });
    assert.match(String(logged?.['message']), /The reader of a mail of the rule "Desk" knows of this: Lost/u);
  });

  it('a link that is changed or over is refused, with one text', async () => {
    const wrong = [link.replace(/mail\/\d+/u, 'mail/99'), link.replace(/.$/u, (end) => (end === 'A' ? 'B' : 'A'))];
    app.clock.advance(0);
    for (const each of wrong) assert.equal((await ask('POST', each)).status, 403, each);
    app.clock.advance(3_700_000);
    assert.equal((await ask('GET', link)).status, 403);
  });
});
