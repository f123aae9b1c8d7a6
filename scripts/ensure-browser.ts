/** Brings Chromium where the one out of npm, which is for x64 alone, does not run. */
import { ensureProgram } from './ensure-program.ts'

export const ensureBrowser = (): boolean => process.arch === 'x64' || ensureProgram('chromium')

if (import.meta.main) ensureBrowser()
