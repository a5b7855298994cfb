import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sweepUploads } from '../../rest/upload.ts';
import { mountedFolder } from '../store/support.ts';
import { TOKENS } from '../app/users.ts';
import { type RestTestApp, listen, problemOf, startRestApp } from './rest-app.ts';
import { uploadAsset } from './tools.ts';
import { until } from '../helpers/until.ts';

const PATH = '/svcapiv2/assets';
const LIMIT = 3 * 1024 * 1024;

describe('an upload', () => {
  let api: RestTestApp;
  let server: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    api = await startRestApp({ tools: [uploadAsset], limits: { uploadBytes: LIMIT, uploadIdleMs: 300 } });
    server = await listen(api.rest);
  });
  after(async () => {
    await server.close();
    await api.close();
  });

  function post(form: FormData, token: string = TOKENS.operator): Promise<Response> {
    return fetch(`${server.url}${PATH}`, { method: 'POST', headers: { Authorization: `Bearer ${token}` }, body: form });
  }

  function formOf(
    content: Uint8Array,
    name = 'logo.png',
    fields: Record<string, string> = { fileType: 'logos' },
  ): FormData {
    const form = new FormData();
    form.append('file', new Blob([content as Uint8Array<ArrayBuffer>]), name);
    // After the file, where a streaming reader meets them last.
    for (const [key, value] of Object.entries(fields)) form.append(key, value);
    return form;
  }

  it('a second upload with other content under the same Idempotency-Key is recognised as another call', async () => {
    const send = (content: Uint8Array): Promise<Response> =>
      fetch(`${server.url}${PATH}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${TOKENS.operator}`, 'Idempotency-Key': 'upload-1' },
        body: formOf(content),
      });
    const content = randomBytes(200_000);
    const first = await send(content);
    assert.equal(first.status, 201);
    const again = await send(content);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual(await again.json(), await first.json());
    const other = Buffer.from(content);
    other.writeUInt8(other.readUInt8(199_999) ^ 1, 199_999);
    const refused = await send(other);
    assert.equal(refused.status, 422);
    assert.equal((await problemOf(refused))['code'], 'idempotency_mismatch');
    assert.deepEqual(await waiting(), []);
  });

  it('an upload is refused as on a full disk where blocks are free and inodes are not', async (t) => {
    const dir = await mountedFolder(t, '-t', 'tmpfs', '-o', 'size=16m,nr_inodes=3', 'none');
    if (dir === undefined) return;
    const small = await startRestApp({ tools: [uploadAsset], uploadDir: join(dir, 'uploads') });
    const listener = await listen(small.rest);
    t.after(async () => {
      await listener.close();
      await small.close();
    });
    const send = async (): Promise<Response> => {
      const form = formOf(randomBytes(10_000));
      const headers = { Authorization: `Bearer ${TOKENS.operator}` };
      return fetch(`${listener.url}${PATH}`, { method: 'POST', headers, body: form });
    };
    // With the last inode for the folder, and with none even for that.
    for (const spare of [['a'], ['a', 'b']]) {
      for (const name of spare) writeFileSync(join(dir, name), '');
      const refused = await send();
      assert.equal(refused.status, 503, await refused.clone().text());
      const problem = await problemOf(refused);
      assert.equal(problem['code'], 'unavailable');
      assert.match(String(problem['detail']), /inodes.*Delete Assets/u);
      for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
    }
    assert.equal((await send()).status, 201);
  });

  async function waiting(): Promise<string[]> {
    return readdir(api.uploadDir).catch(() => []);
  }

  it('an upload reaches the operation whole, and leaves nothing behind', async () => {
    for (const size of [0, 1, 70_000, LIMIT]) {
      const content = randomBytes(size);
      const response = await post(formOf(content));
      assert.equal(response.status, 201, String(size));
      const { data } = (await response.json()) as { data: object };
      assert.deepEqual(data, {
        filename: 'logo.png',
        fileType: 'logos',
        uploadName: 'logo.png',
        size,
        sha256: createHash('sha256').update(content).digest('hex'),
      });
    }
    assert.deepEqual(await waiting(), []);
  });

  it('an upload takes another name from the form, and names in any script', async () => {
    const named = (await (
      await post(formOf(randomBytes(9), 'x.png', { fileType: 'logos', filename: 'y.png' }))
    ).json()) as { data: { filename: string } };
    assert.equal(named.data.filename, 'y.png');
    const script = (await (await post(formOf(randomBytes(9), 'логотип ü.png'))).json()) as {
      data: { filename: string };
    };
    assert.equal(script.data.filename, 'логотип ü.png');
  });

  it('an upload hands a path in the name on, for the operation to refuse', async () => {
    const { data } = (await (await post(formOf(randomBytes(9), '../../x.png'))).json()) as {
      data: { filename: string };
    };
    assert.equal(data.filename, '../../x.png');
  });

  it('an upload ends at once when the form holds a second large file, whatever its name, and leaves nothing', async () => {
    for (const second of ['file', 'other']) {
      for (const first of [false, true]) {
        const form = formOf(randomBytes(60_000));
        const large = new Blob([randomBytes(LIMIT)]);
        if (first) {
          const fields = [...form.entries()];
          for (const [name] of fields) form.delete(name);
          form.append(second, large, 'second.png');
          for (const [name, value] of fields) form.append(name, value);
        } else form.append(second, large, 'second.png');
        const problem = await problemOf(await post(form));
        assert.equal(problem['code'], 'invalid_input', `${second}, ${first ? 'first' : 'last'}`);
      }
    }
    await until('an empty folder', async () => (await waiting()).length === 0);
  });

  it('an upload that is refused while its file is being created leaves nothing once it is answered', async () => {
    const two = (): FormData => {
      const form = formOf(randomBytes(60_000));
      form.append('other', new Blob(['more']), 'more.png');
      return form;
    };
    // They open their files side by side, which makes some openings slow.
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(two())));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400]);
    assert.deepEqual(await waiting(), []);
  });

  it('an upload says what is wrong with the form', async () => {
    const wrong = async (form: FormData): Promise<string[]> => {
      const response = await post(form);
      assert.equal(response.status, 400);
      return ((await problemOf(response)).errors ?? []).map(({ field, code }) => `${field}: ${code}`);
    };
    const none = new FormData();
    none.append('fileType', 'logos');
    assert.deepEqual(await wrong(none), ['file: required']);
    assert.deepEqual(await wrong(formOf(randomBytes(9), 'x', {})), ['fileType: required']);
    assert.deepEqual(await wrong(formOf(randomBytes(9), 'x', { fileType: 'logos', nope: '1' })), [
      'nope: unknown_field',
    ]);
    const twice = formOf(randomBytes(9));
    twice.append('fileType', 'files');
    assert.deepEqual(await wrong(twice), ['fileType: repeated']);
    const two = formOf(randomBytes(9));
    two.append('file', new Blob(['more']), 'more');
    assert.deepEqual(await wrong(two), ['body: too_many']);
    const elsewhere = new FormData();
    elsewhere.append('picture', new Blob(['x']), 'x');
    assert.deepEqual(await wrong(elsewhere), ['picture: unknown_field']);
    assert.deepEqual(await waiting(), []);
  });

  it('an upload refuses a form that is none', async () => {
    for (const [type, body] of [
      ['multipart/form-data; boundary=b', 'nothing of the kind'],
      ['multipart/form-data; charset=x', '--b--'],
    ] as const) {
      const response = await api.send('POST', PATH, { body, headers: { 'Content-Type': type } });
      assert.equal(response.status, 400, type);
      assert.equal((await problemOf(response)).errors?.[0]?.code, 'invalid_form');
    }
  });

  it('an upload refuses more than the limit with 413, declared or counted', async () => {
    const over = await post(formOf(randomBytes(LIMIT + 1)));
    assert.equal(over.status, 413);
    assert.equal((await problemOf(over))['max_bytes'], LIMIT);
    assert.equal((await post(formOf(randomBytes(LIMIT + 2 * 1024 * 1024)))).status, 413);
    assert.deepEqual(await waiting(), []);
  });

  it('an upload wants the token before the content', async () => {
    assert.equal((await post(formOf(randomBytes(100_000)), 'unknown')).status, 401);
    assert.deepEqual(await waiting(), []);
  });

  it('an upload is removed when its sender goes away, and when it falls silent', async () => {
    const begin = (): ReturnType<typeof connect> => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(
          `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKENS.operator}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n\r\n`,
        );
        socket.write(
          `--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\nContent-Type: application/octet-stream\r\n\r\n${'x'.repeat(100_000)}`,
        );
      });
      return socket;
    };
    const gone = begin();
    await until('the file that is being received', async () => (await waiting()).length === 1);
    gone.destroy();
    await until('an empty folder', async () => (await waiting()).length === 0);

    let answer = '';
    begin().on('data', (chunk) => (answer += chunk.toString()));
    await until('the refusal', () => answer.includes('"code":"incomplete"'));
    await until('an empty folder', async () => (await waiting()).length === 0);
  });

  it('an upload is refused when the token was revoked while it came', async () => {
    const other = await startRestApp({ tools: [uploadAsset] });
    const listener = await listen(other.rest);
    const head = 'Content-Disposition: form-data; name=';
    const file = `--b\r\n${head}"file"; filename="x"\r\nContent-Type: application/octet-stream\r\n\r\nabc\r\n`;
    const rest = `--b\r\n${head}"fileType"\r\n\r\nlogos\r\n--b--\r\n`;
    const length = file.length + rest.length;
    let answer = '';
    const socket = connect(listener.port, '127.0.0.1').on('data', (chunk) => (answer += chunk.toString()));
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKENS.operator}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n${file}`,
    );
    await until(
      'the file that is being received',
      async () => (await readdir(other.uploadDir).catch(() => [])).length === 1,
    );
    await other.store.tx((tx) => {
      for (const token of tx.find('tokens', { where: { kid: 'operator' } }).rows)
        tx.put('tokens', { ...token, revoked_at: token.created_at });
    });
    socket.write(rest);
    await until('the answer', () => answer.includes('"code"'));
    assert.match(answer, /^HTTP\/1\.1 401 /u);
    assert.deepEqual(await readdir(other.uploadDir), []);
    socket.destroy();
    await listener.close();
    await other.close();
  });

  it('an upload under readonly is refused without being received', async () => {
    const other = await startRestApp({ tools: [uploadAsset], profile: 'readonly' });
    const response = await other.send('POST', PATH, { body: formOf(randomBytes(50)) });
    assert.equal((await problemOf(response))['code'], 'profile_forbidden');
    assert.deepEqual(await readdir(other.uploadDir).catch(() => 'never made'), 'never made');
    await other.close();
  });

  it('an upload left by a crash is swept, and nothing else is', async () => {
    put('upload-00000000-0000-0000-0000-000000000001', 25);
    put('upload-00000000-0000-0000-0000-000000000002', 23);
    put('notes.txt', 99);
    await sweepUploads(api.uploadDir, Date.now() - 24 * 3_600_000);
    assert.deepEqual((await waiting()).sort(), ['notes.txt', 'upload-00000000-0000-0000-0000-000000000002']);
  });

  it('an upload left in its own folder by a process that was killed just now is gone with the next start', async () => {
    put('upload-00000000-0000-0000-0000-000000000003', 0.1);
    put('upload-00000000-0000-0000-0000-000000000004', 0);
    const next = await startRestApp({ tools: [uploadAsset], uploadDir: api.uploadDir });
    await until(
      'the end of the old file',
      async () => !(await waiting()).includes('upload-00000000-0000-0000-0000-000000000003'),
    );
    // Written since this process began: it may be an upload under way.
    assert.ok((await waiting()).includes('upload-00000000-0000-0000-0000-000000000004'));
    await next.close();
  });

  function put(name: string, ageHours: number): void {
    writeFileSync(join(api.uploadDir, name), 'x');
    const at = Date.now() / 1000 - ageHours * 3600;
    utimesSync(join(api.uploadDir, name), at, at);
  }
});
