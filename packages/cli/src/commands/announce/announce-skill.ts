import { basename, isAbsolute, join, resolve } from 'node:path'
import { StewardError } from '@steward/contract'
import type { Skill } from '@steward/notify'
import { listIfPresent, readIfPresent } from '@steward/platform'
import type { Io } from '../../io.ts'

/** Finds a skill by its directory, or by its name in the assistants' skill folders. */
export const readSkill = async (io: Io, name: string): Promise<Skill> => {
  for (const folder of foldersFor(io, name)) {
    const text = await readIfPresent(join(folder, 'SKILL.md'))
    if (text === undefined) continue
    const workflowFiles = await listIfPresent(join(folder, 'Workflows'), { recursive: true })
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
