// How the program is bundled. What is here is about the start of a process and the memory that it keeps.
import { readFileSync } from 'node:fs';

/** Both MCP SDKs load Ajv for a default that every server of ours replaces: a third of what an assistant's start would read. */
const withoutAjv = {
  name: 'without-ajv',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /ajv-?[Pp]rovider/ }, () => ({ path: 'ajv-provider', namespace: 'left-out' }));
    const refusal = "constructor() { throw new Error('A default validator is not part of this program.'); }";
    const contents = `class None { ${refusal} } export { None as AjvJsonSchemaValidator, None as n };`;
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents }));
  },
};

const BINDING = /^ +this\.(\w+) = this\.\1\.bind\(this\);\n/gmu;
const ALIAS = /^ +\/\*\* Alias of safeParseAsync \*\/\n +this\.spa = this\.safeParseAsync;\n/mu;
const STANDARD = /^ +this\["~standard"\] = (\{[^}]*\});\n {4}\}\n/mu;

/**
 * Each schema of zod 3 binds two dozen methods to itself, for callers that take a method off its schema, which the lint forbids here. A
 * server has some thousand schemas: without the bindings it keeps 6 MB less and starts 40 ms sooner. Throws Error when zod has changed.
 */
function withoutBindings(source) {
  const methods = source.match(BINDING)?.length ?? 0;
  if (methods !== 24 || !ALIAS.test(source) || !STANDARD.test(source))
    throw new Error('The constructor of ZodType is another one now: scripts/build/shape.mjs has to be adapted to it.');
  const added = `}
    spa(data, params) { return this.safeParseAsync(data, params); }
    get "~standard"() {
      const standard = $1;
      Object.defineProperty(this, "~standard", { value: standard });
      return standard;
    }
`;
  return source.replace(BINDING, '').replace(ALIAS, '').replace(STANDARD, added);
}

const leanSchemas = {
  name: 'lean-schemas',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v3\/types\.js$/ }, ({ path }) => ({
      contents: withoutBindings(readFileSync(path, 'utf8')),
      loader: 'js',
    }));
  },
};

/** V8 keeps the text of a program, and two bytes a letter once a single one is beyond ASCII. esbuild escapes strings, but no regular expressions. */
const asciiOnly = {
  name: 'ascii-only',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const escaped = source.replace(
        /[\u0080-\uffff]/gu,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      return escaped === source ? undefined : { contents: escaped, loader: 'ts' };
    });
  },
};

// CommonJS packages in an ES module bundle still call require for Node's own modules, and ssh2 looks where its file lies.
export const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); const __bundleDir = import.meta.dirname;";

/** The program as one file has no bin/onair.js before it. Its imports are Node's own, which an older Node has too. */
export const NODE_CHECK =
  "{ const [major, minor] = process.versions.node.split('.').map(Number); if (major < 20 || (major === 20 && minor < 19)) { console.error('onair: Node ' + process.versions.node + ' is too old; Node 20.19 or newer is needed.'); process.exit(1); } }";

/** Options of esbuild for whatever runs in Node. */
export const SHAPE = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minify: true,
  // Errors and classes are told by their names in logs.
  keepNames: true,
  legalComments: 'none',
  define: { __dirname: '__bundleDir' },
  plugins: [withoutAjv, leanSchemas, asciiOnly],
  // The native parts of ssh2 and pg are optional: without them Node's own crypto, and JavaScript, do the work.
  // A package that brings a binary finds it only beside itself.
  external: ['cpu-features', 'pg-native', '@napi-rs/canvas', 'koffi', '*.node'],
  metafile: true,
  logLevel: 'warning',
};
