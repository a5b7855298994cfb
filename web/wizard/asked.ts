/** Whether somebody has asked for the wizard beside the Live streams that there are. */
import { signal } from '@preact/signals';

export const isWizardAsked = signal(false);
