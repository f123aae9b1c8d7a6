import { mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LIMITS, reasonOf, StewardError } from '@steward/contract'
import { type Home, isMissing, withLock, writeFileAtomically } from '@steward/platform'
import { unreadable } from './assistant-yaml.ts'

const WAIT_MS = 10_000
const FOLDER_MODE = 0o700

/**
 * The files of `USER/ASSISTANT`. They belong to the person, so changes keep comments and layout.
 */
export interface AssistantFiles {
  root: string
  /** Undefined if the file does not exist. Throws `assistant_unreadable`. */
  read: (name: string) => Promise<string | undefined>
  /**
   * Replaces a file under a lock; `change` returns the new text, returns the same text to keep it,
   * or throws to refuse.
   */
  change: (name: string, change: (text: string | undefined) => string) => Promise<void>
}

export const createAssistantFiles = (home: Pick<Home, 'user'>): AssistantFiles => {
  const root = home.user.assistant
  const read = async (name: string): Promise<string | undefined> => {
    const path = join(root, name)
    try {
      const { size } = await stat(path)
      if (size > LIMITS.assistantFileBytes) {
        throw unreadable(name, `it is ${size} bytes; the limit is ${LIMITS.assistantFileBytes}`)
      }
      return await readFile(path, 'utf8')
    } catch (thrown) {
      if (isMissing(thrown)) return undefined
      if (thrown instanceof StewardError) throw thrown
      throw unreadable(name, reasonOf(thrown), thrown)
    }
  }
  return {
    root,
    read,
    change: async (name, change) => {
      const path = join(root, name)
      await mkdir(join(path, '..'), { recursive: true, mode: FOLDER_MODE })
      await withLock(
        join(root, '.edit.lock'),
        async () => {
          const before = await read(name)
          const after = change(before)
          // Write through a symbolic link, which may point into the person's repository.
          const target = before === undefined ? path : await realpath(path)
          if (after !== before) await writeFileAtomically(target, after)
        },
        { waitMs: WAIT_MS },
      )
    },
  }
}
