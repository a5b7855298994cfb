/** Tells English from Spanish in texts that a page shows: by the tables of its own words, and by the small words that only English has. */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { PROGRAM } from './service.ts';
import { wordsOf } from './words.ts';

const WEB = join(dirname(PROGRAM), '..', 'web');
/** Spanish has none of them as words of its own. */
const SMALL_WORDS = new Set(
  wordsOf(`
    the of is are was were with and not this that these it its to from for have been be by which who when what there any
    cannot does your you they their then than only needs goes gets
  `),
);
/** Arguments of words that take some: a number, and texts that the pattern has in their place. */
const ANY = '\u0001';
const ARGUMENTS: unknown[][] = [
  [ANY, ANY, ANY, ANY],
  [1, 1, 1, 1],
  [2, 2, 2, 2],
];

type Table = Readonly<Record<string, unknown>>;

export interface EnglishTexts {
  /** Those of `texts` that are English, each with why. */
  among(texts: readonly string[]): string[];
}

/** Reads the tables of words from their sources. `names` are of rows, which stay as somebody has typed them. */
export async function englishTexts(names: readonly string[] = []): Promise<EnglishTexts> {
  const { pairs, help } = await tables();
  const found = { en: new Set<string>(), es: new Set<string>() };
  for (const [en, es] of pairs) compare(en, es, found);
  for (const [en = '', es = ''] of Object.values(help)) compare(en, es, found);
  const patterns = { en: [...found.en].map(patternOf), es: [...found.es].map(patternOf) };
  const whole = (kind: 'en' | 'es', text: string): boolean =>
    found[kind].has(text) || patterns[kind].some((pattern) => pattern?.test(text) === true);
  const why = (text: string): string | undefined => {
    if (names.includes(text)) return undefined;
    if (whole('en', text) && !whole('es', text)) return 'is of the English words';
    const words = text.toLowerCase().split(/[^a-záéíóúñü']+/u);
    const small = [...new Set(words)].filter((word) => SMALL_WORDS.has(word));
    return small.length >= 2 ? `has ${small.join(', ')}` : undefined;
  };
  return {
    among: (texts) =>
      [...new Set(texts.map((text) => text.replace(/\s+/gu, ' ').trim()))].flatMap((text) => {
        const reason = why(text);
        return reason === undefined ? [] : [`${text} (${reason})`];
      }),
  };
}

/** Collects the texts that differ; words that take arguments become texts with `ANY` in place of each. */
function compare(en: unknown, es: unknown, found: Record<'en' | 'es', Set<string>>): void {
  if (typeof en === 'string' && typeof es === 'string') {
    if (en === es || en === '') return;
    found.en.add(en);
    found.es.add(es);
  } else if (typeof en === 'function' && typeof es === 'function') {
    for (const args of ARGUMENTS) {
      try {
        compare((en as (...of: unknown[]) => unknown)(...args), (es as (...of: unknown[]) => unknown)(...args), found);
      } catch {
        // It takes something else, such as a list.
      }
    }
  } else if (typeof en === 'object' && en !== null && typeof es === 'object' && es !== null) {
    for (const [name, value] of Object.entries(en)) compare(value, (es as Table)[name], found);
  }
}

/** Undefined for a text without a place for others, and for one whose own letters are too few to know it by. */
function patternOf(text: string): RegExp | undefined {
  if (!text.includes(ANY) || text.replaceAll(ANY, '').replace(/[^\p{L}]/gu, '').length < 4) return undefined;
  const own = text.split(ANY).map((part) => part.replace(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`));
  return new RegExp(`^${own.join('.+?')}$`, 'u');
}

/** The tables are compiled here, because they belong to the browser. */
async function tables(): Promise<{ pairs: [unknown, unknown][]; help: Record<string, [string?, string?]> }> {
  const folder = join(WEB, 'i18n', 'en');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const files = [
    ...names.map((name) => [`./en/${name}`, `./es/${name}`]),
    ['./en.ts', './es.ts'],
    ['./help/problems-en.ts', './help/problems-es.ts'],
    ['../gen/labels/en.ts', '../gen/labels/es.ts'],
  ];
  const lines = files.flatMap(([en, es], at) => [
    `import * as en${at} from '${en}';`,
    `import * as es${at} from '${es}';`,
    `pairs.push([Object.values(en${at}), Object.values(es${at})]);`,
  ]);
  const helps = readdirSync(join(WEB, 'i18n', 'help')).filter(
    (name) => !/^(?:problems|causes|events|warnings|texts)/u.test(name),
  );
  helps.forEach((name, at) => {
    lines.push(`import * as help${at} from './help/${name}';`, `Object.assign(help, ...Object.values(help${at}));`);
  });
  const contents = ['const pairs = [];', 'const help = {};', ...lines, 'export { pairs, help };'].join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(WEB, 'i18n'), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
  return (await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`
  )) as Awaited<ReturnType<typeof tables>>;
}
