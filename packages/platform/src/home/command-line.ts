import { join } from 'node:path'
import { quoteIfNeeded } from '../text/shell-quote.ts'

/**
 * The command line that starts Steward in any folder. A clone's `npx steward` works in its own
 * folder only.
 */
export const commandLineOf = (installation: string, isClone: boolean): string =>
  isClone
    ? [process.execPath, join(installation, 'packages', 'cli', 'bin', 'steward.mjs')]
        .map(quoteIfNeeded)
        .join(' ')
    : 'steward'
