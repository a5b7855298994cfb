import { z } from 'zod/v3';
import { newJoinToken } from '../domain/shapes/sources/channel-key.ts';
import { toIso } from '../domain/time/clock.ts';
import { deviceCreate } from '../domain/shapes/devices/device.ts';
import { joinTokenNameField, joinTokenOutput, MAX_JOIN_DAYS, MAX_JOINS } from '../domain/shapes/devices/join-token.ts';
import { assertJoinGroup, removeOldJoinTokens } from '../domain/rules/devices/join-token.ts';
import { reference } from '../domain/base/schema.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const DAY_MS = 86_400_000;

export const createJoinToken = defineTool({
  name: 'createJoinToken',
  summary: 'Create a token with which Devices (encoders on other machines) join by themselves; shown once.',
  description:
    'Use it for Devices that dial this server, behind a router as well: `onair device --join <host:port>` there with the token in ' +
    'ONAIR_JOIN_TOKEN. The server needs ONAIR_DEVICE_PORT. One token lets max_uses machines in until it expires; with idEncoderGroup ' +
    'they become members of that Device group. For an encoder that this server can dial use addDevice.',
  tag: 'Devices',
  aliases: ['join token', 'enrol encoder', 'invite encoder', 'onboard machine', 'device behind NAT', 'cloud-init'],
  rest: 'POST /devices/joinTokens',
  access: 'admin',
  effect: 'create',
  secretAnswer: true,
  input: z
    .object({
      name: joinTokenNameField,
      idEncoderGroup: reference('Device group').optional().describe('Device group to join; left out: none.'),
      type: deviceCreate.type,
      max_uses: z.number().int().min(1).max(MAX_JOINS).default(1).describe('Devices that may join, 1-10000.'),
      expires_days: z.number().int().min(1).max(MAX_JOIN_DAYS).default(1).describe('Days until it expires, 1-30.'),
    })
    .strict(),
  output: dataOf(
    joinTokenOutput
      .extend({
        token: z.string().describe('The whole token, shown once.'),
        device_port: z.number().int().nullable().describe('Port of --join; null: the server has no ONAIR_DEVICE_PORT.'),
      })
      .strict(),
  ),
  handle({ commit, system: { devicePort } }, { name, idEncoderGroup = null, type, max_uses, expires_days }) {
    const { token, kid, key } = newJoinToken();
    return commit((tx, now) => {
      const nowMs = Date.parse(now);
      assertJoinGroup(tx, idEncoderGroup, type);
      removeOldJoinTokens(tx, nowMs);
      const expires_at = toIso(nowMs + expires_days * DAY_MS);
      const shown = { kid, name, created_at: now, expires_at, idEncoderGroup, type, max_uses, used: 0 };
      const { id } = tx.insert('joinTokens', { ...shown, updated_at: now, join_key: key, revoked_at: null });
      return { body: { data: { id, token, device_port: devicePort, ...shown } } };
    });
  },
});
