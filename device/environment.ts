/**
 * The environment of this process as its entry (bin/environment.ts) has read it, and the part of it that each kind of child inherits.
 * Runners, the runner in waiting and the media process are this same program: they inherit all of it, which is Node's own default.
 */

/** Certificates, locale and libraries. All else, the tokens of the first start for one, is none of a media program's business. */
const MEDIA_VARIABLES = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'LD_LIBRARY_PATH'];
/** A program that is not ours may keep a cache or its settings in the home folder. */
const FOREIGN_VARIABLES = [...MEDIA_VARIABLES, 'HOME', 'NDI_RUNTIME_DIR_V6', 'NDI_RUNTIME_DIR_V5', 'NDI_CONFIG_DIR'];
/** An address may have a password in it. */
const SECRET = /TOKEN|PASSWORD|SECRET|ACCESS_KEY|^ONAIR_(?:STORE|SMTP_URL|FENCE)$/iu;

export interface Environment {
  /** Name or path of the program to start in place of the ffmpeg in PATH. */
  ffmpeg?: string | undefined;
  /** Name or path of the program to start in place of the ffprobe in PATH. */
  ffprobe?: string | undefined;
  /** Path of the program that finds the address of a stream at a video site. */
  videositeResolver?: string | undefined;
  variables: Readonly<NodeJS.ProcessEnv>;
}

let current: Environment = { variables: {} };

/** Each entry of the program calls it once, before anything else of device/ runs. Without it programs are looked for where every system has them. */
export function useEnvironment(environment: Environment): void {
  current = environment;
}

export function environment(): Environment {
  return current;
}

/** For ffmpeg and ffprobe. */
export function mediaEnvironment(): NodeJS.ProcessEnv {
  // Perl, which applies the sandbox, would complain of a locale that this machine does not have.
  return { ...pick(MEDIA_VARIABLES), AV_LOG_FORCE_NOCOLOR: '1', PERL_BADLANG: '0' };
}

/** For a program of the Device's owner, such as the resolver of a video site. */
export function foreignEnvironment(): NodeJS.ProcessEnv {
  return pick(FOREIGN_VARIABLES);
}

/** For the Device agent: whatever it starts inherits its environment, and tokens of the control plane belong to none of that. */
export function agentEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(current.variables).filter(([name]) => !SECRET.test(name)));
}

function pick(names: readonly string[]): NodeJS.ProcessEnv {
  const { variables } = current;
  return Object.fromEntries(names.flatMap((name) => (variables[name] === undefined ? [] : [[name, variables[name]]])));
}
