import { readFile, realpath } from 'node:fs/promises'
import { type Settings, unwrap } from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { removeJsonMember, setJsonMember } from '../files/set-json-member.ts'
import { writeFileAtomically } from '../files/write-file-atomically.ts'
import { withLock } from '../locks/with-lock.ts'
import type { Home } from './home.ts'
import { parseSettings } from './settings.ts'

const WAIT_MS = 5000

/**
 * Sets members of one section of `settings.json` and leaves every other byte as it was. Gives back
 * the settings that are in force then; nothing is written if they would be invalid.
 */
export const changeSettings = (
  home: Home,
  section: readonly string[],
  changes: Readonly<Record<string, unknown>>,
): Promise<Settings> =>
  rewriteSettings(home, (text) =>
    Object.entries(changes).reduce(
      (before, [key, value]) => setJsonMember(before, [...section, key], value),
      text,
    ),
  )

/** Removes a member of `settings.json`, so that its default is in force. */
export const resetSetting = (home: Home, path: readonly string[]): Promise<Settings> =>
  rewriteSettings(home, (text) => removeJsonMember(text, path))

const rewriteSettings = (home: Home, change: (text: string) => string): Promise<Settings> =>
  withLock(
    `${home.settings}.lock`,
    async () => {
      const file = await realpath(home.settings).catch(absent(home.settings))
      const text = await readFile(file, 'utf8').catch(absent('{}\n'))
      const changed = change(text)
      const parsed = unwrap(parseSettings(changed, home.settings))
      await writeFileAtomically(file, changed)
      return parsed
    },
    { waitMs: WAIT_MS },
  )

const absent =
  (instead: string) =>
  (thrown: unknown): string => {
    if (isMissing(thrown)) return instead
    throw thrown
  }
