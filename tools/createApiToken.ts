import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { AppError } from '../domain/base/errors.ts';
import { assertTokenOwner } from '../domain/rules/installation/token.ts';
import { reference } from '../domain/base/schema.ts';
import { scopeFields, tokenNameField, tokenOutput } from '../domain/shapes/installation/security.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { newScope } from '../toolkit/subjects/token-scope.ts';
import { newToken } from '../toolkit/subjects/token-secret.ts';
import { defineTool } from '../toolkit/tool.ts';

const DAY_MS = 86_400_000;

export const createApiToken = defineTool({
  name: 'createApiToken',
  summary: 'Create an API token; its value is shown in this answer only.',
  description:
    'Use it to let a program or an assistant in; one token per caller. It carries the role of its user: the caller, or another active ' +
    'user named by userId; profile and operations limit it further, and a limited token makes none wider. Needs role Administrator and ' +
    'api: true in the User profile. Store the value in a secret store. ' +
    'To rotate: create, switch over, then revokeApiToken on the old one.',
  tag: 'Security',
  aliases: ['API key', 'new token', 'access token', 'bearer', 'credential', 'issue key', 'rotate token'],
  rest: 'POST /security/tokens',
  access: 'admin',
  effect: 'create',
  secretAnswer: true,
  input: z
    .object({
      name: tokenNameField,
      expires_days: z
        .number()
        .int()
        .min(1)
        .max(3650)
        .optional()
        .describe('Days until it expires, 1-3650; left out: never.'),
      userId: reference('User').optional().describe('User whose token it is; left out: the caller.'),
      ...scopeFields,
    })
    .strict(),
  output: dataOf(tokenOutput.extend({ token: z.string().describe('Full bearer value, shown once.') }).strict()),
  handle(ctx, { name, expires_days: days, userId = ctx.caller.userId, ...limits }) {
    if (!ctx.caller.api)
      throw new AppError(
        'forbidden',
        `The profile of user ${ctx.caller.username} has api: false; only users with api: true may issue tokens.`,
      );
    // It would outlive the consent, and be good for more than MCP.
    if (ctx.caller.client !== undefined)
      throw new AppError('forbidden', 'An assistant that was connected by OAuth makes no API tokens.', {
        remedy: 'Make the token on the page Tokens, or with: onair token create <name>.',
      });
    const scope = newScope(ctx, limits);
    const { token, kid, hash } = newToken();
    return ctx.commit((tx, now) => {
      assertTokenOwner(tx, userId);
      const expires_at = days === undefined ? null : toIso(Date.parse(now) + days * DAY_MS);
      const shown = { kid, name, created_at: now, expires_at, ...scope };
      const { id } = tx.insert('tokens', { ...shown, updated_at: now, userId, token_hash: hash, revoked_at: null });
      return { body: { data: { id, token, ...shown } } };
    });
  },
});
