/** The hand-written documents: their form, their words, and that what they say about files holds. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { operations } from '../../tools/index.ts';
import { OPEN_ROOMS } from './rooms.ts';
import { ROOT, sourceFiles, textOf, topFolders } from './sources.ts';
import { SETTING_KINDS } from '../../domain/shapes/changes/change-questions.ts';
import { CHANGES } from '../../domain/shapes/changes/changes.ts';
import { CHANNEL_TYPES } from '../../domain/types/channel-types.ts';
import { PUBLISHING_TYPES } from '../../domain/types/destination-types.ts';

const GENERATED = ['docs/tools.md', 'docs/errors.md', 'docs/settings.md', 'docs/cli.md', 'docs/proof.md'];
const markdown = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const decisions = markdown('docs/decisions');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...markdown('docs'),
  ...markdown('docs/guides'),
  ...markdown('docs/decisions'),
].filter((file) => !GENERATED.includes(file));
/** Without blocks of code and code spans, where names of the wire and of files stand. */
const prose = (file: string): string => textOf(file).replace(/```.*?```|`[^`]*`|\]\([^)]*\)/gsu, ' ');

/** The numbered items of a list, with the lines that go on. */
const itemsOf = (text: string): string[] =>
  [...text.matchAll(/^\d+\. (.*(?:\n +\S.*)*)/gmu)].map((match) => match[1] ?? '');
/** The source files and pages that an item names or links to. */
const filesOf = (item: string): string[] =>
  [...item.matchAll(/`((?:[\w-]+\/)+[\w-]+\.\w+)`|\]\(\.\.\/([\w-]+\.md)\)/gu)].map(
    ([, path, page]) => path ?? page ?? '',
  );

describe('docs/glossary.md', () => {
  const lines = textOf('docs/glossary.md').split('\n').slice(3);
  const entries = lines.filter((line) => line !== '');
  const words = entries.map((line) => /^\*\*([^*]+)\*\* \S.*[^.]$/u.exec(line)?.[1] ?? `not in form: ${line}`);

  it('the glossary has one line a word, in bold, with its meaning behind it', () => {
    assert.deepEqual(
      words.filter((word) => word.startsWith('not in form')),
      [],
    );
    assert.ok(words.length >= 40, `${words.length} words`);
  });

  it('the glossary has each word once, in the order of the alphabet', () => {
    const small = words.map((word) => word.toLowerCase());
    assert.deepEqual(small, [...new Set(small)].sort());
  });
});

describe('docs/decisions', () => {
  const HEADINGS = ['## Question', '## Choice', '## Why', '## What would change it'];
  for (const file of decisions) {
    it(`decision ${basename(file)} asks one question and answers it under four headings`, () => {
      const parts = textOf(file).split(/^(#.*)$/mu);
      const headings = parts.filter((part) => part.startsWith('#'));
      assert.match(headings[0] ?? '', /^# \S/u);
      assert.deepEqual(headings.slice(1), HEADINGS);
      for (const heading of HEADINGS)
        assert.notEqual(parts[parts.indexOf(heading) + 1]?.trim(), '', `${heading} is empty`);
    });
  }

  it('decisions are listed in docs/decisions.md, one line each', () => {
    const index = textOf('docs/decisions.md').split('\n');
    const listed = index.flatMap((line) => /^- \[[^\]]+\]\(decisions\/([\w-]+\.md)\): \S/u.exec(line)?.[1] ?? []);
    assert.deepEqual(listed, decisions.map((file) => basename(file)).sort());
  });
});

describe('the documents', () => {
  it('README has at most 120 lines, architecture.md at most 100', () => {
    const linesOf = (file: string): number => textOf(file).trimEnd().split('\n').length;
    assert.ok(linesOf('README.md') <= 120, `README.md has ${linesOf('README.md')} lines`);
    assert.ok(linesOf('docs/architecture.md') <= 100, `architecture.md has ${linesOf('docs/architecture.md')} lines`);
  });

  it('no document names a file that does not exist', () => {
    const named = documents.flatMap((file) =>
      [...textOf(file).matchAll(/`((?:[\w-]+\/)+(?:[\w-]+(?:\.\w+)+)?)`/gu)].map(
        (match) => [file, match[1] ?? ''] as const,
      ),
    );
    const first = new Set([...topFolders(), 'docs', 'web']);
    const ours = named.filter(([, path]) => first.has(path.split('/')[0] ?? ''));
    assert.ok(ours.length > 100, `${ours.length} paths`);
    assert.deepEqual(
      ours.filter(([, path]) => !existsSync(join(ROOT, path))),
      [],
    );
  });

  it('no document links to a page that does not exist', () => {
    const links = documents.flatMap((file) =>
      [...textOf(file).matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/gu)].map((match) => [file, match[1] ?? ''] as const),
    );
    const made = new Set(GENERATED.map((file) => join(ROOT, file)));
    assert.deepEqual(
      links.filter(([file, target]) => {
        const path = join(ROOT, file, '..', target);
        return !existsSync(path) && !made.has(path);
      }),
      [],
    );
  });

  it('documents use the words of the glossary, and no metaphor for them', () => {
    const metaphor =
      /\b(nursery|doors?|lanes?|roads?|hungry|hurry|comeback|beats?|shelf|shelves|tally|keeper|forsakes?|parked|manned|sayings?|stand-in)\b/iu;
    assert.deepEqual(
      documents.flatMap((file) => {
        const found = metaphor.exec(prose(file))?.[0];
        return found === undefined ? [] : [`${file}: ${found}`];
      }),
      [],
    );
  });
});

describe('docs/walk.md', () => {
  const walks = textOf('docs/walk.md').split(/^## /mu).slice(1);
  const architecture = textOf('docs/architecture.md');

  it('the walk answers four questions and more, each within four files', () => {
    assert.ok(walks.length >= 4, `${walks.length} walks`);
    assert.deepEqual(
      walks.filter((walk) => itemsOf(walk).length > 4),
      [],
    );
  });

  it('each walk begins with a file that architecture.md names', () => {
    const starts = walks.map((walk) => filesOf(itemsOf(walk)[0] ?? '')[0] ?? '');
    assert.deepEqual(
      starts.filter((file) => file === '' || !architecture.includes(file)),
      [],
    );
  });
});

describe('a step that names a thing', () => {
  for (const file of ['docs/walk.md', 'CONTRIBUTING.md']) {
    it(`a step of ${file} names only things that stand in its files`, () => {
      const missing = itemsOf(textOf(file)).flatMap((item) => {
        const things = [...item.matchAll(/`([A-Za-z_]*[A-Z_]\w*)`/gu)].map((match) => match[1] ?? '');
        const texts = filesOf(item).map(textOf);
        return things.filter((thing) => texts.length > 0 && !texts.some((text) => text.includes(thing)));
      });
      assert.deepEqual(missing, []);
    });
  }
});

describe('the steps of CONTRIBUTING.md', () => {
  const text = textOf('CONTRIBUTING.md');
  const section = (title: string): string =>
    /\n.*?(?=\n## |$)/su.exec(text.slice(text.indexOf(`## ${title}\n`)))?.[0] ?? '';
  const stepFiles = (steps: string): string[] =>
    [...steps.matchAll(/^\d+\. (`[^`]+`(?: and `[^`]+`)*):/gmu)].flatMap((match) =>
      [...(match[1] ?? '').matchAll(/`([^`]+)`/gu)].map(([, path]) => path ?? ''),
    );
  const code = topFolders()
    .filter((folder) => !OPEN_ROOMS.includes(folder))
    .flatMap(sourceFiles)
    .filter((file) => !file.startsWith('client/gen/'));
  const names = (file: string, word: string): boolean => textOf(file).includes(word);

  const kinds = [
    { title: 'Add a Channel type', types: CHANNEL_TYPES },
    { title: 'Add a Destination type', types: PUBLISHING_TYPES },
  ] as const;
  for (const { title, types } of kinds)
    it(`the steps of ${title} are three at most, and each of their files has a line for every type`, () => {
      const files = stepFiles(section(title));
      assert.ok(itemsOf(section(title)).length <= 3);
      assert.equal(files.length, 2, 'the row, and what does it');
      for (const file of files)
        assert.deepEqual(
          types.filter((type) => !new RegExp(`^  '?${type}'?: `, 'mu').test(textOf(file))),
          [],
          file,
        );
    });

  it('the steps of Add a change on air are three at most, and no other file names a setting of a run', () => {
    const files = stepFiles(section('Add a change on air'));
    assert.ok(itemsOf(section('Add a change on air')).length <= 3);
    assert.equal(files.length, 2, 'the row, and what does it');
    const lines = (file: string, kinds: readonly string[]): string[] =>
      kinds.filter((kind) => !new RegExp(`^ +${kind}: `, 'mu').test(textOf(file)));
    assert.deepEqual(lines(files[0]!, Object.keys(CHANGES)), []);
    assert.deepEqual(lines(files[1]!, SETTING_KINDS), []);
    const naming = code.filter((file) => names(file, 'adValues') && !file.startsWith('tools/'));
    assert.deepEqual(
      naming.filter((file) => !files.includes(file)),
      ['device/runner/stream/cues.ts', 'domain/shapes/changes/change-bodies.ts'],
      'beside the steps, the part that uses what is in force, and the fields of the operation',
    );
  });

  it('each file of the steps Add a tool names an existing tool', () => {
    const steps = section('Add a tool');
    const [tool] = operations.filter(({ name }) => name === 'createPlaybackLink');
    assert.ok(tool !== undefined);
    const files = stepFiles(steps).map((file) => file.replace('<operationId>', tool.name));
    assert.ok(files.length >= 5, `${files.length} files`);
    for (const file of files.flatMap((path) => (path.endsWith('/') ? sourceFiles(path) : [path])))
      assert.ok(existsSync(join(ROOT, file)), file);
    assert.deepEqual(
      files.filter((path) => !(path.endsWith('/') ? sourceFiles(path) : [path]).some((file) => names(file, tool.name))),
      [],
    );
    assert.ok(names('toolkit/tags.ts', tool.tag), tool.tag);
  });

  it('CONTRIBUTING.md names only commands that package.json has', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const commands = [...text.matchAll(/\bnpm run ([\w:-]+)/gu)].map((match) => match[1] ?? '');
    assert.deepEqual(
      commands.filter((name) => scripts[name] === undefined),
      [],
    );
  });
});
