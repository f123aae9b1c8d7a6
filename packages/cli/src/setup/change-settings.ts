import { readFile, realpath } from 'node:fs/promises'
import { type Settings, unwrap } from '@steward/contract'
import {
  type Home,
  isMissing,
  parseSettings,
  withLock,
  writeFileAtomically,
} from '@steward/platform'
import { setJsonMember } from './set-json-member.ts'

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
  withLock(
    `${home.settings}.lock`,
    async () => {
      const file = await realpath(home.settings).catch(absent(home.settings))
      const text = await readFile(file, 'utf8').catch(absent('{}\n'))
      const changed = Object.entries(changes).reduce(
        (before, [key, value]) => setJsonMember(before, [...section, key], value),
        text,
      )
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
