// Makes the bundle that desktop assistants install with one click (MCPB, manifest 0.3): a manifest, the stdio server as one file, and the
// icon. The folder for it is the argument; left out: the present one. It prints the path of the bundle.
import { createWriteStream, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { ZipFile } from 'yazl';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ENTRY = 'server/onair-mcp.mjs';
/** Assistants show it at up to this size. */
const ICON_PIXELS = 512;

/** The time of every file, so that the same program makes the same bytes. */
const mtime = new Date('2026-01-01T00:00:00Z');
const { version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const bundle = new ZipFile();
bundle.addBuffer(Buffer.from(JSON.stringify(manifest(), null, 2)), 'manifest.json', { mtime });
bundle.addBuffer(readFileSync(join(root, 'dist', 'onair-mcp.mjs')), ENTRY, { mtime });
bundle.addBuffer(await icon(), 'icon.png', { mtime });
bundle.end();
const path = join(resolve(process.argv[2] ?? '.'), `onair-${version}.mcpb`);
await pipeline(bundle.outputStream, createWriteStream(path));
console.log(path);

function manifest() {
  return {
    manifest_version: '0.3',
    name: 'onair',
    display_name: 'onair',
    version,
    description,
    long_description:
      'Puts live broadcasts on air and watches over them, through an onair server of yours. On the machine of that server nothing has to be filled in.',
    author: { name: 'The onair authors' },
    license,
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: ENTRY,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${ENTRY}`],
        env: {
          ONAIR_URL: '${user_config.url}',
          ONAIR_TOKEN: '${user_config.token}',
          TOOL_PROFILE: '${user_config.profile}',
        },
      },
    },
    tools_generated: true,
    prompts_generated: true,
    user_config: {
      url: {
        type: 'string',
        title: 'Address of the server',
        description: 'Left empty: the server of this machine.',
        default: '',
        required: false,
      },
      token: {
        type: 'string',
        title: 'API token',
        description: 'Left empty: the one of this machine. An administrator makes others: onair token create <name>',
        sensitive: true,
        default: '',
        required: false,
      },
      profile: {
        type: 'string',
        title: 'What it may do',
        description: 'readonly, operator, voice or full; never more than the token allows.',
        default: 'full',
        required: false,
      },
    },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: '>=20.19' } },
  };
}

async function icon() {
  const drawing = await loadImage(readFileSync(join(root, 'web', 'style', 'icon.svg')));
  // A drawing is made into pixels at this size, and not at its own of 16.
  drawing.width = drawing.height = ICON_PIXELS;
  const canvas = createCanvas(ICON_PIXELS, ICON_PIXELS);
  canvas.getContext('2d').drawImage(drawing, 0, 0, ICON_PIXELS, ICON_PIXELS);
  return canvas.toBuffer('image/png');
}
