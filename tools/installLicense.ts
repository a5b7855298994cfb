import { z } from 'zod/v3';
import { licenceOutput, LICENCE_MAX_LENGTH, presentLicence } from '../domain/shapes/installation/licence.ts';
import { installIn, licenceText } from '../domain/rules/installation/licence.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const installLicense = defineTool({
  name: 'installLicense',
  summary: 'Add a licence file; what it unlocks works at once.',
  description:
    'Use it with the file that the issuer sent: its text as license, or over REST the file itself as multipart/form-data part file. ' +
    'It is refused (rule_violated, with the reason) when the signature, algorithm, claims or dates are not good, or when the server has no ' +
    'ONAIR_LICENSE_KEY. The same file again changes nothing; a later edition of the same serial takes the place of the earlier. ' +
    'What is installed: getSystemLicenses.',
  tag: 'System',
  aliases: ['license key', 'activate', 'unlock feature', 'licence', 'upload license', 'entitlement', 'renew license'],
  rest: 'POST /system/licenses',
  access: 'admin',
  effect: 'create',
  input: z
    .object({
      license: z
        .string()
        .min(1)
        .max(LICENCE_MAX_LENGTH)
        .optional()
        .describe('Content of the licence file, 16 KB at most; over REST a file may be sent instead.'),
    })
    .strict(),
  output: dataOf(licenceOutput),
  async handle(ctx, { license }) {
    const jws = await licenceText(license, ctx.request.upload);
    const claims = await ctx.system.verifyLicence(jws);
    return ctx.commit((tx, now) => {
      const { row, fresh } = installIn(tx, now, claims, jws);
      return {
        body: { data: presentLicence(row, now) },
        version: tx.version('licences', row.id),
        status: fresh ? 201 : 200,
      };
    });
  },
});
