import { z } from 'zod/v3';
import { wallResource } from '../domain/rules/broadcasts/wall.ts';
import { displayLinkOutput, displayNameField } from '../domain/shapes/broadcasts/wall.ts';
import { ruleViolated } from '../domain/base/errors.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { newToken } from '../toolkit/subjects/token-secret.ts';
import { defineTool } from '../toolkit/tool.ts';

/** A building has fewer screens; a program that makes one at each start is stopped. */
const MAX_LINKS = 100;

export const createDisplayLink = defineTool({
  name: 'createDisplayLink',
  summary: 'Create a link that shows a wall on a display without a sign-in; shown once.',
  description:
    'Use it for a monitor that nobody signs in at: whoever opens url sees the pictures and the status of the Live streams of that wall, ' +
    'and can change nothing. It has no end until revokeDisplayLink; make one for each display, so that each can be ended alone. ' +
    'To hand a broadcast to viewers use createPlaybackLink.',
  tag: 'Walls',
  aliases: ['kiosk', 'monitor link', 'display token', 'screen in the foyer', 'signage', 'wall without login'],
  rest: 'POST /walls/{wallId}/displayLinks',
  access: 'admin',
  effect: 'create',
  secretAnswer: true,
  input: z.object({ wallId: reference('Wall'), name: displayNameField }).strict(),
  output: dataOf(
    displayLinkOutput
      .extend({
        token: z.string().describe('The whole token, shown once.'),
        url: z.string().describe('Address to open on the display, with the token in it.'),
      })
      .strict(),
  ),
  handle({ commit, system }, { wallId, name }) {
    const { token, kid, hash } = newToken('onairdisplay');
    // What stands behind # stays in the browser: no proxy and no log has it.
    const url = system.links.page(`/#/wall/${wallId}?key=${token}`);
    return commit((tx, now) => {
      assertRow(tx, wallResource, wallId, undefined);
      if (tx.find('displayLinks', { where: { wallId }, limit: 0 }).total >= MAX_LINKS)
        throw ruleViolated(`Wall ${wallId} has ${MAX_LINKS} display links. Revoke those that no display uses.`);
      const shown = { kid, wallId, name, created_at: now, last_seen_at: null };
      const { id } = tx.insert('displayLinks', { ...shown, updated_at: now, token_hash: hash });
      return { body: { data: { id, ...shown, token, url } } };
    });
  },
});
