/** What was said on the command line for every command of this process. Set by main.ts before the command runs. */
export const commandLine: { config?: string } = {};
