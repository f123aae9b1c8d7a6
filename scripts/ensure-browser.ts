/** Installs Chromium where the one from npm, which is x64 only, does not run. */
import { ensureProgram } from './ensure-program.ts'

export const ensureBrowser = (): boolean => process.arch === 'x64' || ensureProgram('chromium')

if (import.meta.main) ensureBrowser()
