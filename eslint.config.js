import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'site/', '.dist-*/', 'node_modules/', '*/gen/', '**/fixtures/', 'docs/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'off' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      // A promise that nobody waits for is written `void`, so that it shows.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['describe', 'it', 'test', 'suite', 'before', 'after', 'beforeEach', 'afterEach'],
            },
          ],
        },
      ],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      // Many small async functions fulfil a port whose other implementation waits.
      'require-await': 'off',
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    ignores: ['domain/base/any-signal.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'AbortSignal', property: 'any', message: 'Use anySignal: a time limit in it may never end.' },
      ],
    },
  },
  // The policy of the page lets no script and no style in that is not a file of the server, and text of others never becomes markup.
  {
    files: ['web/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]',
          message: 'Text only.',
        },
        { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'Text only.' },
        {
          selector: 'JSXAttribute[name.name="style"]',
          message: 'Use a class, or set the style of the element by script.',
        },
      ],
    },
  },
  // Programs that a person runs print; mcp/stdio.ts turns the console away from stdout, which carries the protocol.
  {
    files: ['scripts/**', 'bin/**', 'bench/**', '**/*.mjs', 'mcp/stdio.ts', 'test/**'],
    rules: { 'no-console': 'off' },
  },
  // Answers come in many shapes there, and each test asserts on its own.
  { files: ['test/**', 'bench/**'], rules: { '@typescript-eslint/no-explicit-any': 'off' } },
);
