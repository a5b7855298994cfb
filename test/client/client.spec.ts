/** The typed client as a program of others uses it: it compiles for a call of every operation, and each is answered or refused as over REST. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient, OnairProblem } from '../../client/client.ts';
import { OPERATIONS } from '../../client/request.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import type { Args } from '../contract/apis.ts';
import { EXAMPLES } from '../contract/examples.ts';
import { REFUSED } from '../contract/refused.ts';
import { createResources, type Resources } from '../contract/resources.ts';
import { addStoredSecrets } from '../contract/stored-secrets.ts';
import { itLong, someOf } from '../helpers/counts.ts';
import { makeIssuer } from '../helpers/licences.ts';
import { freePort } from '../helpers/ports.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BOUND_MS = 120_000;
/** Arguments of the operations that are no tools: sign-in, the feed of the page and the documents. */
const OTHERS: Record<string, Args> = {
  login: { username: 'nobody', password: 'none of them' },
  logout: {},
  renewSession: {},
  changePassword: { password: 'none of them', new_password: 'another that is none' },
  getMe: {},
  listAssistants: {},
  endAssistant: { kid: 'tk_none' },
  getFeed: {},
  getFeedPictures: { want: '1:320:1' },
  getFeedMedia: { livestreamId: 999, publishingId: 999, file: 'index.m3u8' },
  getFeedWall: { wallId: 999 },
  openApiDocument: {},
  healthz: {},
  readyz: {},
  metrics: {},
};
const CONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    rootDir: '.',
    outDir: '.',
    noEmitOnError: true,
  },
  files: ['claims.mts', 'calls.mts'],
};

let service: Service;
let resources: Resources;
let folder: string;

before(async () => {
  const issuer = makeIssuer();
  service = await startService({ ONAIR_LICENSE_KEY: issuer.publicPem, ONAIR_RATE_LIMIT: '0' });
  resources = createResources(service, issuer);
  // With its licence and its tenant the service asks for transcriptions.
  await addStoredSecrets(resources);
  folder = mkdtempSync(join(tmpdir(), 'onair-client-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules', 'onair'));
});
after(async () => {
  await resources?.close();
  await (service as Service | undefined)?.dispose();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Answers the output of a program of node; the output of one that fails is the error. */
function run(program: string, args: readonly string[] = []): Promise<string> {
  const options = { cwd: folder, timeout: BOUND_MS, maxBuffer: 16 << 20, env: { ...process.env, TOKEN } };
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      error ? reject(new Error(`${program}: ${stdout}${stderr}${error.message}`)) : resolve(stdout),
    ),
  );
}

function callsProgram(argsOf: ReadonlyMap<string, Args>): string {
  return [
    "import { createClient, OnairProblem } from 'onair/client';",
    'declare const process: { argv: string[]; env: Record<string, string>; stdout: { write(text: string): void } };',
    "const client = createClient({ url: process.argv[2] ?? '', token: process.env['TOKEN'] });",
    'const calls = {',
    ...[...argsOf].map(([name, args]) => `  ${name}: () => client.${name}(${JSON.stringify(args)}),`),
    '};',
    'const codes: Record<string, string> = {};',
    'for (const [name, call] of Object.entries(calls)) {',
    '  try {',
    '    const answer = await call();',
    "    codes[name] = 'answered';",
    '    if (answer instanceof Response) await answer.body?.cancel();',
    '  } catch (error) {',
    '    if (!(error instanceof OnairProblem)) throw error;',
    '    codes[name] = error.code;',
    '  }',
    '}',
    'process.stdout.write(JSON.stringify(codes));',
  ].join('\n');
}

describe('onair/client', () => {
  const tools = [...operations, ...workflows];
  const argumentsOf = async (some: typeof tools): Promise<Map<string, Args>> => {
    const argsOf = new Map<string, Args>(Object.entries(OTHERS));
    for (const { name } of some) argsOf.set(name, await EXAMPLES[name]!(resources));
    return argsOf;
  };
  const assertAsOverRest = (codes: Record<string, string>): void => {
    const refused: Record<string, string> = {
      ...REFUSED,
      login: 'unauthenticated',
      logout: 'unauthenticated',
      renewSession: 'unauthenticated',
      changePassword: 'unauthenticated',
      endAssistant: 'not_found',
      getFeedMedia: 'not_found',
      getFeedWall: 'not_found',
    };
    assert.deepEqual(codes, Object.fromEntries(Object.keys(codes).map((name) => [name, refused[name] ?? 'answered'])));
  };

  it('the typed client has every operation, and a call of one is answered or refused as over REST', async () => {
    const names = [...Object.keys(OTHERS), ...tools.map(({ name }) => name)];
    assert.deepEqual(names.sort(), Object.keys(OPERATIONS).sort());
    const client = createClient({ url: service.url, token: TOKEN });
    const argsOf = await argumentsOf([...someOf(tools, 24)]);
    const codes: Record<string, string> = {};
    for (const [name, args] of argsOf) {
      const call = client[name as keyof typeof client] as (args: Args) => Promise<unknown>;
      codes[name] = await call(args).then(
        async (answer) => {
          if (answer instanceof Response) await answer.body?.cancel();
          return 'answered';
        },
        (error: unknown) => {
          assert.ok(error instanceof OnairProblem, `${name}: ${String(error)}`);
          return error.code;
        },
      );
    }
    assertAsOverRest(codes);
    assert.equal(Object.keys(codes).length, argsOf.size);
  });

  itLong(
    'the typed client compiles under --strict with one call of every operation, and each call is answered or refused as over REST',
    async () => {
      const argsOf = await argumentsOf(tools);
      writeFileSync(join(folder, 'calls.mts'), callsProgram(argsOf));
      copyFileSync(join(ROOT, 'test', 'client', 'programs', 'claims.mts'), join(folder, 'claims.mts'));
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
      await run(join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'));
      const codes = JSON.parse(await run('calls.mjs', [service.url])) as Record<string, string>;
      assert.equal(Object.keys(codes).length, argsOf.size);
      assertAsOverRest(codes);
    },
  );

  it('a refusal is thrown as the problem, an Error with all its members', async () => {
    const client = createClient({ url: service.url, token: TOKEN });
    const error = await client
      .addChannel({ name: '', type: 'Stream', settings: {} }, { headers: { 'X-Request-Id': 'client-1' } })
      .then(
        () => assert.fail('was not refused'),
        (cause: unknown) => cause,
      );
    assert.ok(error instanceof OnairProblem && error instanceof Error);
    const { type, title, status, detail, code, request_id, remedy, errors, message, name } = error;
    assert.deepEqual(
      { type, status, code, request_id, name },
      {
        type: 'urn:onair:error:invalid_input',
        status: 400,
        code: 'invalid_input',
        request_id: 'client-1',
        name: 'OnairProblem',
      },
    );
    assert.equal(message, detail);
    assert.ok(title !== '' && remedy !== '');
    assert.ok(errors?.some(({ field }) => field === 'name'));
    const sent = (
      await service.rest(
        'POST',
        '/channels',
        { name: '', type: 'Stream', settings: {} },
        { 'X-Request-Id': 'client-1' },
      )
    ).body as object;
    assert.deepEqual(JSON.parse(JSON.stringify(error)), { ...sent, name: 'OnairProblem' });
  });

  it('where nobody answers, and where something else answers, the problem says so; a call that is cancelled is no problem', async () => {
    const nobody = createClient({ url: `http://127.0.0.1:${await freePort()}`, token: TOKEN });
    await assert.rejects(
      nobody.getAllChannels(),
      (error) => error instanceof OnairProblem && error.code === 'unavailable',
    );
    const page = async (): Promise<Response> => new Response('<h1>Bad Gateway</h1>', { status: 502 });
    const proxied = createClient({ url: service.url, token: TOKEN, fetch: page });
    await assert.rejects(
      proxied.getAllChannels(),
      (error) => error instanceof OnairProblem && error.code === 'upstream_failed' && error.status === 502,
    );
    const client = createClient({ url: service.url, token: TOKEN });
    await assert.rejects(client.getAllChannels({}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await assert.rejects(client.getChannelById({} as { channelId: number }), TypeError);
  });

  it('a file goes up as a Blob, a list takes filters, and a key makes a repeated call one', async () => {
    const client = createClient({ url: `${service.url}/`, token: TOKEN });
    const bytes = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    );
    const { data } = await client.uploadAsset({
      fileType: 'logos',
      filename: 'dot of the client.png',
      file: new Blob([bytes]),
    });
    assert.equal(data.size_bytes, bytes.length);
    const { rows } = await client.listAssets({ fileType: 'logos', search: 'dot of the client', fields: 'filename' });
    assert.deepEqual(
      rows.map(({ filename }) => filename),
      ['dot of the client.png'],
    );
    const asset = await client.readAsset({ fileType: 'logos', filename: 'dot of the client.png' });
    assert.equal(asset.data.content_type, 'image/png');
    const headers = { 'Idempotency-Key': 'client-encoding' };
    const made = [1, 2].map(() => client.addEncoding({ name: 'Of the client' }, { headers }));
    const [one, other] = [await made[0]!, await made[1]!];
    assert.equal(one.data.id, other.data.id);
  });
});
