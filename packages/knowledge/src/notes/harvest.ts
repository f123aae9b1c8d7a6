import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '@steward/contract'
import { writeFileAtomically } from '@steward/memory'

const FILE = '_index.md'
const LINE = /^(\*\*Last harvest:\*\*)[ \t]*(.*?)[ \t]*$/m

/** When notes were last gathered from work: the `**Last harvest:**` line of the archive's `_index.md`. */
export const readLastHarvest = (root: string): string | null =>
  LINE.exec(readIndexFile(root) ?? '')?.[2] || null

/** Writes that line; everything else in the file is the person's. For who holds the archive's lock. */
export const writeLastHarvest = async (root: string, at: Date): Promise<void> => {
  const text = readIndexFile(root) ?? '# Knowledge\n\n**Last harvest:**\n'
  const time = at.toISOString()
  const next = LINE.test(text)
    ? text.replace(LINE, (_, label: string) => `${label} ${time}`)
    : `${text.trimEnd()}\n\n**Last harvest:** ${time}\n`
  await writeFileAtomically(join(root, FILE), next)
}

const readIndexFile = (root: string): string | undefined => {
  const path = join(root, FILE)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || found.size > LIMITS.noteBytes) return undefined
  return readFileSync(path, 'utf8')
}
