/** The document of the operators' page tells whether there is a session, so that the page need not ask and be refused. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pageApp } from '../../rest/page.ts';
import { testFolder } from '../helpers/test-folder.ts';

function builtPage(t: TestContext): string {
  const webDir = testFolder(t, 'page');
  mkdirSync(join(webDir, 'assets'));
  for (const name of ['index.html', 'docs.html'])
    writeFileSync(join(webDir, name), '<meta name="session" content="" />');
  return webDir;
}

const OPEN = 'onair_session=open';

describe('the document of the page', () => {
  it('a session that is open and none are two documents with tags of their own', async (t) => {
    const webDir = builtPage(t);
    const authenticate = async (secret: string): Promise<never> => {
      if (secret !== 'open') throw new Error('nobody');
      return undefined as never;
    };
    const app = pageApp({ webDir, sessions: { authenticate } });
    const get = async (headers: Record<string, string>) => app.request('/', { headers });
    const [open, none, stale] = [
      await get({ cookie: OPEN }),
      await get({}),
      await get({ cookie: 'onair_session=old' }),
    ];
    assert.match(await open.text(), /content="open"/u);
    assert.match(await none.text(), /content="none"/u);
    assert.match(await stale.text(), /content="none"/u);
    assert.match(open.headers.get('vary') ?? '', /Cookie/u);
    const tag = open.headers.get('etag') ?? '';
    assert.notEqual(tag, none.headers.get('etag'));
    assert.equal((await get({ cookie: OPEN, 'if-none-match': tag })).status, 304);
    assert.equal(
      (await get({ 'if-none-match': tag })).status,
      200,
      'a document of a session that has ended is not kept',
    );
  });

  it('plays media of this server alone, and of the bucket in which Recordings are', async (t) => {
    const webDir = builtPage(t);
    const authenticate = () => Promise.reject(new Error('nobody'));
    const policy = async (media?: string): Promise<string> => {
      const { headers } = await pageApp({ webDir, sessions: { authenticate }, media }).request('/');
      return /media-src [^;]*/u.exec(headers.get('content-security-policy') ?? '')![0];
    };
    assert.equal(await policy(), "media-src 'self' blob:");
    assert.equal(
      await policy('s3://clips/station?region=eu-central-1'),
      "media-src 'self' blob: https://clips.s3.eu-central-1.amazonaws.com",
    );
    assert.equal(await policy('s3://clips?endpoint=http://minio:9000'), "media-src 'self' blob: http://minio:9000");
  });
});
