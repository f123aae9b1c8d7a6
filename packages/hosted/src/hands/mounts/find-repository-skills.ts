import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, splitFrontMatter } from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'

/** As many as the vendor announces. */
const MOST_SKILLS = 64
const MOST_CHARACTERS = 2000
const READ_BYTES = 64 * 1024

/**
 * The skills that a cloned repository brings along, one line each. Links are not followed, because
 * they could lead to files of this machine.
 */
export const findRepositorySkills = async (host: string, path: string): Promise<string[]> => {
  for (const part of ['.claude', '.claude/skills'])
    if (!(await isFolder(join(host, part)))) return []
  const place = join(host, '.claude/skills')
  const entries = await readdir(place, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const lines: string[] = []
  for (const name of names.toSorted()) {
    const text = await readStart(join(place, name, 'SKILL.md'))
    if (text === undefined) continue
    lines.push(`- ${path}/.claude/skills/${name}/SKILL.md: ${describe(text) || name}`)
    if (lines.length === MOST_SKILLS) break
  }
  return lines
}

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

const readStart = async (path: string): Promise<string | undefined> => {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    if (!(await file.stat()).isFile()) return undefined
    const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, 0)
    return buffer.subarray(0, bytesRead).toString()
  } finally {
    await file.close()
  }
}

/** Its description in one line; empty if the front matter cannot be read. */
const describe = (text: string): string => {
  const { head } = splitFrontMatter(text)
  if (head === undefined) return ''
  const document = parseYamlDocument(head.text)
  if (document.errors.length > 0) return ''
  const fields: unknown = document.toJS({ maxAliasCount: 0 })
  const { description } = isJsonObject(fields) ? fields : {}
  if (typeof description !== 'string') return ''
  return description.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS)
}
