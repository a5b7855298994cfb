/**
 * Whole conversations, each from a person's sentence to the air and back: a real MCP client before the real service with real media.
 * The assistant is a script, held to what a model would know (conversations/assistant.ts); what it costs is told.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TOKEN, PROGRAM, type Service } from '../helpers/service.ts';
import type { Way } from '../mcp/clients.ts';
import { Assistant, type Ledger } from './conversations/assistant.ts';
import type { Conversation, Api } from './conversations/conversation.ts';
import { GOING_LIVE } from './conversations/going-live.ts';
import { ON_AIR } from './conversations/on-air.ts';
import { PLANS } from './conversations/plans.ts';
import { RESTART } from './conversations/restart.ts';
import { RIGHTS } from './conversations/rights.ts';
import { SET_UP } from './conversations/set-up.ts';
import { startPreparedService, type PreparedService } from './conversations/prepared-service.ts';

const CONVERSATIONS: Conversation[] = [GOING_LIVE, ON_AIR, PLANS, RIGHTS, SET_UP, RESTART].flat();
const CHARACTERS_PER_TOKEN = 4;

function wayTo({ env, url: own }: Service, { over, profile, url = `${own}/mcp` }: Api): Way {
  if (over === 'http')
    return { url, headers: { Authorization: `Bearer ${TOKEN}`, ...(profile && { 'X-Onair-Profile': profile }) } };
  const args = [PROGRAM, 'mcp', ...(profile === undefined ? [] : ['--profile', profile])];
  return {
    command: process.execPath,
    args,
    env: { ...(env as Record<string, string>), ONAIR_URL: own, ONAIR_TOKEN: TOKEN },
  };
}

describe('whole conversations', () => {
  let prepared: PreparedService;
  const total = { calls: 0, looks: 0, read: 0, written: 0, seconds: 0 };
  before(async () => void (prepared = await startPreparedService()));
  after(() => prepared?.dispose());

  function messagesOf({ calls, read, written }: Ledger, seconds: number): string {
    const tokens = (characters: number): number => Math.round(characters / CHARACTERS_PER_TOKEN);
    return `${calls} calls, ${tokens(read)} tokens read and ${tokens(written)} written, ${seconds.toFixed(1)} s`;
  }

  for (const { title, calls, run } of CONVERSATIONS)
    it(title, async (t) => {
      const ledger = { calls: 0, looks: 0, read: 0, written: 0 };
      const present: Assistant[] = [];
      const begunMs = performance.now();
      const connect = async (kind: Parameters<typeof Assistant.connect>[0], by: Api): Promise<Assistant> => {
        const assistant = await Assistant.connect(kind, wayTo(prepared.service, by), ledger, by.textAlone);
        present.push(assistant);
        return assistant;
      };
      try {
        await run({ prepared, connect, note: (text) => t.diagnostic(text) });
      } finally {
        for (const assistant of present) await assistant.leaves();
        await prepared.stopAll();
      }
      const seconds = (performance.now() - begunMs) / 1000;
      t.diagnostic(messagesOf(ledger, seconds));
      const needed = ledger.calls - ledger.looks;
      assert.ok(needed <= calls, `${needed} calls, where ${calls} should do`);
      for (const key of ['calls', 'looks', 'read', 'written'] as const) total[key] += ledger[key];
      total.seconds += seconds;
    });

  it('the messages of all conversations together are counted', (t) => t.diagnostic(messagesOf(total, total.seconds)));
});
