import { readdir, readFile } from 'node:fs/promises'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { StewardError } from '@steward/contract'
import type { Skill } from '@steward/notify'
import type { Io } from '../../io.ts'

/** Finds a skill by its directory, or by its name in the assistants' skill folders. */
export const readSkill = async (io: Io, name: string): Promise<Skill> => {
  for (const folder of foldersFor(io, name)) {
    const text = await readIfThere(join(folder, 'SKILL.md'))
    if (text === undefined) continue
    const workflowFiles = await listIfThere(join(folder, 'Workflows'))
    return { name: basename(folder), workflowFiles, text }
  }
  const where = foldersFor(io, name).join(', ')
  throw new StewardError('not_found', { what: 'skill', name, hint: ` (looked in ${where})` })
}

const foldersFor = (io: Io, name: string): string[] => {
  if (isAbsolute(name) || name.includes('/')) return [resolve(io.cwd, name)]
  const own = io.env.CLAUDE_CONFIG_DIR ?? join(io.homedir, '.claude')
  return [join(io.cwd, '.claude', 'skills', name), join(own, 'skills', name)]
}

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

const listIfThere = async (path: string): Promise<string[]> => {
  try {
    return await readdir(path, { recursive: true })
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
