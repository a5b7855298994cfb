import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { toJsonSchema } from '../../toolkit/json-schema.ts';
import { createRequire } from 'node:module';
const { encode } = createRequire('/tmp/tok/x.js')('gpt-tokenizer');
for (const t of [...operations,...workflows].map(t=>{const s=JSON.stringify({name:t.name,description:t.description,inputSchema:toJsonSchema(t.input)}); return [t.name, s.length, encode(s).length] as const}).sort((a,b)=>b[1]-a[1]).slice(0,14)) console.log(...t);
