/** `npm run docs`: builds the site of the documents, into site/ or the folder that is named, and says where it is. */
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSite } from './build.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const out = resolve(process.argv[2] ?? join(root, 'site'));
const pages = await buildSite(root, out);
console.log(`${pages.length} pages are built. Open ${join(out, 'index.html')}`);
