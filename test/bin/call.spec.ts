import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { callOperation } from '../../bin/api.ts';
import { parseArguments } from '../../bin/client/arguments.ts';
import { correctedCall } from '../../bin/client/correction.ts';
import { failureText } from '../../bin/failure.ts';
import { progressLines } from '../../bin/output/progress.ts';
import { usageOf } from '../../bin/help/usage.ts';
import { AppError } from '../../domain/base/errors.ts';
import { operations } from '../../tools/index.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import { parseInput } from '../../toolkit/input/input.ts';
import type { Tool } from '../../toolkit/tool.ts';
import { workflows } from '../../workflows/index.ts';

const tool = (name: string): Tool => operations.find((each) => each.name === name) ?? assert.fail(name);

test('a list of ids is written with commas, alone, or as JSON', () => {
  for (const [word, elements] of [
    ['4', [4]],
    ['4,7', [4, 7]],
    ['[4,7]', [4, 7]],
    ['[]', []],
  ])
    assert.deepEqual(parseArguments(tool('addUserGroup'), ['--elements', String(word)]), { elements });
  assert.deepEqual(parseArguments(tool('addUserGroup'), ['--name', '7']), { name: '7' });
});

test('a field of the path that is missing is named before anything is sent', async () => {
  const nowhere = { url: 'http://127.0.0.1:1', token: 'unused' };
  await assert.rejects(callOperation(nowhere, tool('deleteUserGroup'), {}), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.extras.errors?.[0]?.field], ['invalid_input', 'groupId']);
    return true;
  });
});

test('a redirect is followed on the same server alone: neither arguments nor token go to another', async (t) => {
  const heard: string[] = [];
  const serve = async (reply: (path: string) => [number, string] | undefined): Promise<string> => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        heard.push(`${request.headers.host} ${request.method} ${request.url} ${request.headers.authorization} ${body}`);
        const [status, location] = reply(request.url ?? '') ?? [200, ''];
        response
          .writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
          .end('{"id":7}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const other = await serve(() => undefined);
  const args = { name: 'a', type: 'Stream', settings: { url: 'http://h/canary' } };
  const refused = async (url: string, name: string, given: object): Promise<void> =>
    assert.rejects(callOperation({ url, token: 'secret' }, tool(name), { ...given }), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'unavailable');
      return /redirects the call to .* It was not followed/u.test(error.message);
    });
  for (const status of [301, 302, 303, 307, 308]) {
    const moved = await serve((path) => [status, `${other}${path}`]);
    await refused(moved, 'addChannel', args);
    await refused(moved, 'getAllChannels', {});
  }
  await refused(await serve((path) => [307, path]), 'addChannel', args);
  await refused(await serve(() => [307, 'http://[']), 'addChannel', args);
  assert.ok(!heard.some((line) => line.startsWith(new URL(other).host)), 'the other host has heard nothing');
  const itself = await serve((path) => (path.endsWith('/there') ? undefined : [307, '/there']));
  assert.deepEqual(await callOperation({ url: itself, token: 'secret' }, tool('addChannel'), { ...args }), { id: 7 });
  assert.match(heard.at(-1)!, /POST \/there Bearer secret .*canary/u);
});

test('the usage of an operation lists its fields, nested ones too, and which are required', () => {
  const usage = usageOf(tool('addChannel'));
  assert.match(usage, /^addChannel \(POST \/channels\): /u);
  assert.match(usage, /--name <text> +Needed\. Name/u);
  assert.match(usage, /--settings\.url <text>\s+Stream/u);
  assert.match(usageOf(tool('downloadSystemInfo')), /takes no fields/u);
});

const refusalOf = (run: () => unknown): AppError => {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error;
  }
  return assert.fail('taken');
};

test('a flag without its value is refused by name, unless it is one of true and false', () => {
  const { code, message, extras } = refusalOf(() =>
    parseArguments(tool('addChannel'), ['--name', '--type', 'File', '--settings.filename', 'a.mp4']),
  );
  assert.deepEqual([code, extras.errors?.[0]?.field], ['invalid_input', 'name']);
  assert.match(message, /^--name needs a value; --type is the next flag/u);
  assert.equal(refusalOf(() => parseArguments(tool('addChannel'), ['--name'])).extras.errors?.[0]?.field, 'name');
  assert.deepEqual(parseArguments(tool('addLivestream'), ['--enabled', '--name=--x']), { enabled: true, name: '--x' });
});

test('a wrong value of a path field is refused by the field’s name before anything is sent', async () => {
  const nowhere = { url: 'http://127.0.0.1:1', token: 'unused' };
  await assert.rejects(callOperation(nowhere, tool('getLivestreamById'), { livestreamId: 'abc' }), (error) => {
    assert.ok(error instanceof AppError);
    assert.match(error.message, /livestreamId: must be a number/u);
    return true;
  });
});

test('a refusal shows the corrected call as it is typed, and remedies in the words of a terminal', async () => {
  const nothing = (): Promise<never> => Promise.reject(new AppError('unavailable', 'Nobody is there.'));
  const catalogue = createCatalogue(operations, workflows);
  const refused = async (name: string, args: Record<string, unknown>): Promise<string> => {
    const found = catalogue.find(name);
    const error = refusalOf(() => (found ? parseInput(found.input, args) : catalogue.get(name)));
    return failureText((await correctedCall(error, name, args, catalogue, nothing)) as AppError);
  };
  const slip = await refused('addUserGroup', { nmae: "Crew's" });
  assert.match(slip, /^ {2}corrected: onair call addUserGroup '\{"name":.*\}'$/mu);
  assert.doesNotMatch(slip, /listed under errors/u);
  const unknown = await refused('addChanel', {});
  assert.match(unknown, /Did you mean .*addChannel/u);
  assert.match(unknown, /`onair tools` lists the operations/u);
  assert.doesNotMatch(unknown, /search_tools/u);
});

test('an answer that is cut off after its progress is an error that says what to look at', async (t) => {
  const progress = { progress: 3, total: 30, message: 'Show is starting.' };
  const requests: unknown[] = [];
  let cut = (): unknown => undefined;
  const server = createServer((request, response) => {
    requests.push(request.method, request.url);
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: progress\ndata: ${JSON.stringify(progress)}\n\n`);
    cut = () => response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const target = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'unused' };
  const workflow = workflows.find(({ name }) => name === 'start_livestream')!;
  const seen: unknown[] = [];
  const options = { progress: (...step: unknown[]) => void (seen.push(step), cut()) };
  await assert.rejects(callOperation(target, workflow, { livestream: 'Show' }, options), (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, 'unavailable');
    assert.match(error.message, /gone before it answered; what was begun there may go on\. Look with: onair status$/u);
    return true;
  });
  assert.deepEqual(seen, [['Show is starting.', 3]]);
  assert.deepEqual(requests, ['POST', '/svcapiv2/workflows/start_livestream']);
});

test('a workflow is answered by its object, also at the end of its progress, and refused by the problem there', async (t) => {
  const object = { livestreamId: 7, on_air: true };
  const problem = { code: 'upstream_failed', status: 502, detail: 'It failed.', upstream: 'gone', request_id: 'r' };
  const endings: [string, string][] = [
    ['application/json', JSON.stringify({ data: object })],
    ['text/event-stream', `: keepalive\n\nevent: answer\ndata: ${JSON.stringify({ data: object })}\n\n`],
    ['text/event-stream', `event: problem\ndata: ${JSON.stringify(problem)}\n\n`],
  ];
  const server = createServer((request, response) => {
    request.resume();
    const [type, text] = endings.shift()!;
    response.writeHead(200, { 'content-type': type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const target = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'unused' };
  const workflow = workflows.find(({ name }) => name === 'start_livestream')!;
  const call = (): Promise<unknown> =>
    callOperation(target, workflow, { livestream: 'Show' }, { progress: () => undefined });
  assert.deepEqual([await call(), await call()], [object, object]);
  await assert.rejects(call(), (error) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.code, error.message, error.extras.upstream], ['upstream_failed', 'It failed.', 'gone']);
    return true;
  });
});

test('progress is a line for each thing that is new, and one line on a terminal, cut to it', () => {
  const shown = (stream: { isTTY: boolean; columns?: number }): string => {
    let text = '';
    const lines = progressLines({ ...stream, write: (chunk: string) => ((text += chunk), true) } as never);
    for (const second of [0, 1, 2]) lines.show('Show is starting.', second);
    lines.show('Show is starting.\x1b[2J Clip gives nothing yet.', 3);
    lines.end();
    return text;
  };
  assert.equal(
    shown({ isTTY: false }),
    'onair: Show is starting.\nonair: Show is starting. [2J Clip gives nothing yet.\n',
  );
  const [, first, , , last] = shown({ isTTY: true, columns: 24 }).split('\r');
  assert.deepEqual([first, last], ['Show is starting. (0 s)\x1b[K', 'Show is starting. [2J C\x1b[K']);
  assert.match(shown({ isTTY: true, columns: 0 }), /nothing yet\. \(3 s\)\x1b\[K\r\x1b\[K$/u);
});
