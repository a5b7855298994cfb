/** The words of the consent page, in the languages of the operators' page. */
import type { ProfileName } from '../../domain/shapes/installation/security.ts';

const en = {
  lang: 'en',
  title: (client: string) => `Connect ${client}?`,
  asks: (client: string) => `${client} wants to work with this onair by MCP, as you.`,
  you: 'You are',
  goesTo: 'The answer goes to',
  document: 'Described by',
  selfNamed: 'The name is what it calls itself: nobody has checked it.',
  ownMachine:
    'This leads to a program on your own computer, and any program there can wait for it. Go on only if you have just begun to connect one yourself.',
  may: 'What it may do',
  profiles: {
    readonly: ['Read alone', 'Sees what you see, and changes nothing.'],
    operator: ['What an Operator may do', 'Starts, stops and changes broadcasts, and what belongs to them.'],
    voice: ['Voice', 'Status, start and stop, logo, blackout and Schedules, with answers that are spoken.'],
    full: ['Everything', 'All that you may do, Users and the system too.'],
  } satisfies Record<ProfileName, [string, string]>,
  operations: 'Only certain operations',
  operationsWhy: 'With none chosen it may call all that the choice above allows.',
  ends: 'Ends after days (empty: 30 days after it was last used)',
  until: 'It is good for MCP alone. An Administrator sees it on the page Tokens, and takes it away there.',
  allow: 'Allow',
  decline: 'Decline',
  mayNot: (client: string) =>
    `Your profile may not connect assistants, so ${client} gets nothing. An Administrator allows it under Users, “Edit profile”.`,
  signIn: 'Sign in',
  signInWhy: (client: string) => `${client} wants to work with this onair by MCP. Sign in to decide.`,
  username: 'User name',
  password: 'Password',
  wrong: 'User name and password do not fit, or the user may not sign in.',
  wait: (seconds: number) => `Too many tries. Wait ${seconds} s.`,
  by: (provider: string) => `Sign in by ${provider}`,
  goesOn: 'Go on',
  failed: 'Not connected',
  request: (id: string) => `Request ${id}`,
};
export type ConsentWords = typeof en;

const es: ConsentWords = {
  lang: 'es',
  title: (client) => `¿Conectar ${client}?`,
  asks: (client) => `${client} quiere trabajar con este onair por MCP, en su nombre.`,
  you: 'Usted es',
  goesTo: 'La respuesta va a',
  document: 'Descrito por',
  selfNamed: 'El nombre es el que se da él mismo: nadie lo ha comprobado.',
  ownMachine:
    'Esto lleva a un programa de su propio ordenador, y cualquier programa de allí puede esperarlo. Siga solo si acaba de empezar usted a conectar uno.',
  may: 'Qué puede hacer',
  profiles: {
    readonly: ['Solo leer', 'Ve lo que usted ve, y no cambia nada.'],
    operator: ['Lo que puede un operador', 'Inicia, detiene y cambia emisiones, y lo que les pertenece.'],
    voice: ['Voz', 'Estado, inicio y parada, logo, negro y programaciones, con respuestas habladas.'],
    full: ['Todo', 'Todo lo que usted puede, también usuarios y sistema.'],
  },
  operations: 'Solo ciertas operaciones',
  operationsWhy: 'Sin elegir ninguna puede llamar a todas las que permite la elección de arriba.',
  ends: 'Termina después de días (vacío: 30 días después del último uso)',
  until: 'Sirve solo para MCP. Un administrador lo ve en la página Tokens, y allí lo quita.',
  allow: 'Permitir',
  decline: 'Rechazar',
  mayNot: (client) =>
    `Su perfil no permite conectar asistentes, así que ${client} no recibe nada. Un administrador lo permite en Usuarios, «Editar perfil».`,
  signIn: 'Iniciar sesión',
  signInWhy: (client) => `${client} quiere trabajar con este onair por MCP. Inicie sesión para decidir.`,
  username: 'Nombre de usuario',
  password: 'Contraseña',
  wrong: 'Nombre de usuario y contraseña no coinciden, o el usuario no puede iniciar sesión.',
  wait: (seconds) => `Demasiados intentos. Espere ${seconds} s.`,
  by: (provider) => `Iniciar sesión con ${provider}`,
  goesOn: 'Continuar',
  failed: 'Sin conectar',
  request: (id) => `Petición ${id}`,
};

/** `language` is a tag, or a list of them as browsers send it; the first one of ours counts. */
export function consentWords(language: string | null | undefined): ConsentWords {
  const first = (language ?? '').split(',').find((tag) => /^\s*(?:en|es)\b/iu.test(tag));
  return first !== undefined && /^\s*es\b/iu.test(first) ? es : en;
}
