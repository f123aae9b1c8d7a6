/** Installs espeak-ng, so that the tests use a real voice. */
import { ensureProgram } from './ensure-program.ts'

export const ensureSpeech = (): boolean => ensureProgram('espeak-ng')

if (import.meta.main) ensureSpeech()
