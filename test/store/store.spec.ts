import { openStore } from '../../store/open.ts';
import { storeSuite } from './suite.ts';
import { openedStore, temporaryFolder } from './support.ts';

storeSuite({ name: 'memory', open: (_t, clock) => openStore({ kind: 'memory', clock }) });
storeSuite({ name: 'lowdb', open: async (t, clock) => openedStore({ dir: await temporaryFolder(t), clock }) });
