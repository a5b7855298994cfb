import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { wallResource } from '../domain/rules/broadcasts/wall.ts';
import { displayLinkOutput } from '../domain/shapes/broadcasts/wall.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const listDisplayLinks = defineTool({
  name: 'listDisplayLinks',
  summary: 'List the links by which displays show a wall without a sign-in; never their tokens.',
  description:
    'Use it to see which screens may show the wall, which of them do (last_seen_at), and to find the kid that revokeDisplayLink ' +
    'needs. A token cannot be shown again: make another link with createDisplayLink.',
  tag: 'Walls',
  aliases: ['kiosks', 'displays', 'open screens', 'who shows the wall', 'display tokens'],
  rest: 'GET /walls/{wallId}/displayLinks',
  access: 'admin',
  effect: 'read',
  input: z.object({ wallId: reference('Wall'), ...pageFields }).strict(),
  output: listOf(displayLinkOutput.partial()),
  shortFields: ['id', 'kid', 'name', 'last_seen_at'],
  async handle({ store }, input) {
    const { wallId } = input;
    await getRow(store, wallResource, wallId);
    const sortable = COLLECTIONS.displayLinks.indexed.filter((field) => field in displayLinkOutput.shape);
    const found = await store.find('displayLinks', pageQuery(input, sortable, { wallId }));
    return { body: foundBody(found, input, ({ token_hash: _hash, updated_at: _at, ...row }) => row) };
  },
});
