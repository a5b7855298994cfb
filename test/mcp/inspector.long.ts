/** The Inspector's command line against the real service, as a developer tries a server out: over HTTP and stdio, in both generations. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { assertInstalled, runExternal } from './external-programs.ts';
import { wordsOf } from '../helpers/words.ts';

const TEN = wordsOf(`
  call_tool channel_slot_usage get_livestream_status get_start_targets schedule_livestream search_tools
  start_livestream stop_livestream toggle_destination update_destination_stream_key
`);

let service: Service;
before(async () => {
  assertInstalled();
  service = await startService();
  await service.create('/channels', { name: 'Studio 1', type: 'Stream', settings: { url: 'http://a.example/' } });
});
after(() => (service as Service | undefined)?.dispose());

type Words = readonly string[];
/** The lines before the question, and those after it. */
const WAYS: Record<string, () => [before: Words, after: Words]> = {
  HTTP: () => [[`${service.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${TOKEN}`], []],
  stdio: () => [settingsOf({ ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN }), ['--', process.execPath, PROGRAM, 'mcp']],
};

function settingsOf(env: Record<string, string>): Words {
  // By the data folder a process that is left over is known to be of this test.
  return Object.entries({ ONAIR_DATA: service.dataDir, ...env }).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
}

for (const [way, wordsOf] of Object.entries(WAYS)) {
  for (const era of ['legacy', 'modern']) {
    describe(`${way}, ${era}`, { concurrency: true }, () => {
      const ask = async (method: string, ...question: Words): Promise<any> => {
        const [before, after] = wordsOf();
        const words = ['--cli', ...before, '--protocol-era', era, '--format', 'json', '--method', method];
        const home = join(service.scratch, 'inspector', way, era, method.replace('/', '-'));
        const { code, stdout, stderr } = await runExternal('inspector 2.12.0', [...words, ...question, ...after], home);
        assert.equal(code, 0, `${stdout}${stderr}`);
        return (JSON.parse(stdout) as { result: unknown }).result;
      };

      it(`the MCP Inspector over ${way}, ${era}, lists the ten tools, whose schemas have no fault`, async () => {
        const { tools } = await ask('tools/list', '--strict');
        assert.deepEqual(tools.map(({ name }: { name: string }) => name).sort(), TEN);
      });

      it(`the MCP Inspector over ${way}, ${era}, finds an operation with search_tools`, async () => {
        const found = await ask('tools/call', '--tool-name', 'search_tools', '--tool-arg', 'query=list outputs');
        assert.equal(found.structuredContent.tools[0].name, 'getAllPublishings');
      });

      it(`the MCP Inspector over ${way}, ${era}, runs an operation with call_tool`, async () => {
        const args = JSON.stringify({ operationId: 'getAllChannels', arguments: { pageSize: 5 } });
        const { structuredContent } = await ask('tools/call', '--tool-name', 'call_tool', '--tool-args-json', args);
        assert.deepEqual(
          structuredContent.rows.map(({ name }: { name: string }) => name),
          ['Studio 1'],
        );
      });

      it(`the MCP Inspector over ${way}, ${era}, lists the resources and reads one`, async () => {
        const { resources } = await ask('resources/list');
        const uris = resources.map(({ uri }: { uri: string }) => uri);
        assert.deepEqual(uris, ['onair://livestreams/status', 'onair://openapi.json']);
        const { contents } = await ask('resources/read', '--uri', 'onair://livestreams/status');
        assert.deepEqual(JSON.parse(contents[0].text).rows, []);
      });

      it(`the MCP Inspector over ${way}, ${era}, lists the prompts and gets one`, async () => {
        const { prompts } = await ask('prompts/list');
        const names = prompts.map(({ name }: { name: string }) => name);
        assert.deepEqual(names, ['go_live', 'check_air', 'explain_incident', 'plan_week', 'set_up_broadcast']);
        const { messages } = await ask('prompts/get', '--prompt-name', 'go_live', '--prompt-args', 'livestream=Show');
        assert.match(messages[0].content.text, /^Put the Live stream "Show" on air\./u);
      });
    });
  }
}
