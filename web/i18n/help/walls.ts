/** Help of the forms of walls and of display links, by the text of the API: English, then Spanish. */
import type { HelpTexts } from './texts.ts';

export const wallsHelp: HelpTexts = {
  'Tiles on one screen: 1, 4, 9, 16 or 25.': [
    'Tiles on one screen; more are shown screen by screen.',
    'Cuadros por pantalla; si hay más, se muestran pantalla a pantalla.',
  ],
  'Live streams in the order of their tiles; each keeps its place when it is off.': [
    'Each keeps its place, also while it is off.',
    'Cada una conserva su lugar, también apagada.',
  ],
  'Behind them, while they are on, Live streams with one of these tags.': [
    'Live streams with one of these tags stand behind them while they are on.',
    'Detrás van las emisiones con una de estas etiquetas, mientras están en marcha.',
  ],
  'true: behind them, while they are on, all other Live streams too.': [
    'All other Live streams stand behind them while they are on.',
    'Detrás van todas las demás emisiones, mientras están en marcha.',
  ],
  'Which display it is for, 1-100 characters.': [
    'Which display it is for, such as Lobby.',
    'Para qué pantalla es, por ejemplo Vestíbulo.',
  ],
};
