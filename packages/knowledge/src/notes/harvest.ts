import { isUtf8 } from 'node:buffer'
import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '@steward/contract'
import { writeFileAtomically } from '@steward/platform'

const FILE = '_index.md'
const LINE = /^(\*\*Last harvest:\*\*)(.*)$/m

/**
 * When notes were last collected from work: the `**Last harvest:**` line of the archive's
 * `_index.md`.
 */
export const readLastHarvest = (root: string): string | null =>
  LINE.exec(readIndexFile(root) ?? '')?.[2]?.trim() || null

/**
 * Updates that line and nothing else, because the file is the person's; an unreadable file is
 * skipped. The caller must hold the archive's lock.
 */
export const writeLastHarvest = async (root: string, at: Date): Promise<void> => {
  const text = readIndexFile(root)
  if (text === undefined) return
  const time = at.toISOString()
  const next = LINE.test(text)
    ? text.replace(LINE, (_, label: string) => `${label} ${time}`)
    : `${text === '' ? '# Knowledge' : text.trimEnd()}\n\n**Last harvest:** ${time}\n`
  await writeFileAtomically(join(root, FILE), next)
}

/** Empty if missing; undefined if it is a link, too large or not text. */
const readIndexFile = (root: string): string | undefined => {
  const path = join(root, FILE)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return ''
  if (!found.isFile() || found.size > LIMITS.noteBytes) return undefined
  const bytes = readFileSync(path)
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}
